//! Server of a site, which only this machine reaches.

use super::site::{Answer, Site};
use crate::cli::failure::Failure;
use std::net::Ipv4Addr;
use std::thread;
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// Number of requests that are answered at once.
const THREADS: usize = 4;

/// Headers of all answers: no other site may show, read or keep them.
const HEADERS: [(&str, &str); 6] = [
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
];

/// Serves a site at a port of the loopback address, 0 for a free one, until the process ends. `ready` gets the address
/// of the page.
///
/// # Errors
/// The port cannot be had.
pub(super) fn serve(site: &Site, port: u16, ready: impl FnOnce(&str)) -> Result<(), Failure> {
    let refused = |why: &dyn std::fmt::Display| Failure::input(format!("port {port} cannot be had: {why}"));
    let server = Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|error| refused(&error))?;
    let port = server.server_addr().to_ip().ok_or_else(|| refused(&"no port"))?.port();
    ready(&format!("http://127.0.0.1:{port}/"));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| server.incoming_requests().for_each(|request| respond(site, port, request)));
        }
    });
    Ok(())
}

/// Returns whether a host is this machine, as its own browser names it. Any other name may be that of a foreign site
/// whose address has been changed to this one.
pub(super) fn is_own(host: Option<&str>, port: u16) -> bool {
    host.is_some_and(|host| ["127.0.0.1", "localhost"].iter().any(|own| host == format!("{own}:{port}")))
}

/// Answers a request. A browser that has gone is no failure.
fn respond(site: &Site, port: u16, request: Request) {
    let of = |name: &'static str| {
        let found = request.headers().iter().find(|header| header.field.equiv(name));
        found.map(|header| header.value.as_str().to_string())
    };
    let (host, origin) = (of("Host"), of("Origin"));
    let foreign = origin.as_deref().is_some_and(|origin| !is_own(origin.strip_prefix("http://"), port));
    let answer = if !is_own(host.as_deref(), port) || foreign {
        Answer::refused(403, "only pages of this program on this machine are answered")
    } else if !matches!(request.method(), Method::Get | Method::Head) {
        Answer::refused(405, "nothing can be changed here")
    } else {
        site.answer(request.url())
    };
    let mut response =
        Response::from_data(answer.body).with_status_code(StatusCode(answer.code)).with_chunked_threshold(usize::MAX);
    let kind = ("Content-Type", answer.kind);
    for (name, value) in HEADERS.into_iter().chain([kind]) {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    let _ = request.respond(response);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_known_as_host() {
        for own in ["127.0.0.1:8000", "localhost:8000"] {
            assert!(is_own(Some(own), 8000), "{own}");
        }
        for other in ["127.0.0.1", "localhost:80", "example.org:8000", "localhost.example.org:8000", "127.0.0.1:8000.a"]
        {
            assert!(!is_own(Some(other), 8000), "{other}");
        }
        assert!(!is_own(None, 8000));
    }
}
