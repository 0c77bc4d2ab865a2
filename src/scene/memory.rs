//! Available memory, and its form in messages about pictures.

/// Formats bytes: `640 MB`, `41.9 GB`.
pub fn words(bytes: u64) -> String {
    let (mega, giga) = (bytes as f64 / 1e6, bytes as f64 / 1e9);
    if giga < 1.0 { format!("{mega:.0} MB") } else { format!("{giga:.1} GB") }
}

/// Returns the memory that this process may still take [bytes], if the system reports it. It is the smallest of free
/// memory, process limit and control group limit.
pub fn available() -> Option<u64> {
    let text = |path: &str| std::fs::read_to_string(path).ok();
    let free = text("/proc/meminfo").and_then(|text| kibibytes(&text, "MemAvailable:"));
    let used = text("/proc/self/status").and_then(|text| kibibytes(&text, "VmSize:")).unwrap_or(0);
    let own = text("/proc/self/limits").and_then(|text| limit(&text)).map(|limit| limit.saturating_sub(used));
    let number = |path: &str| text(path)?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .map(|most| most.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    [free, own, group].into_iter().flatten().min()
}

/// Reads a line such as `MemAvailable:   123 kB` [bytes].
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    rest.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Reads the limit of address space [bytes].
fn limit(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("Max address space"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        assert_eq!(kibibytes("MemTotal:  9 kB\nMemAvailable:    20 kB\n", "MemAvailable:"), Some(20480));
        assert_eq!(
            limit("Max address space         8589934592           unlimited            bytes\n"),
            Some(8_589_934_592)
        );
        assert_eq!(limit("Max address space         unlimited            unlimited            bytes\n"), None);
        assert_eq!([words(640_000_000), words(41_900_000_000)], ["640 MB", "41.9 GB"]);
        if cfg!(target_os = "linux") {
            assert!(available().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
