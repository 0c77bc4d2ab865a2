//! The `percale` command; see [`percale::cli`].
fn main() -> std::process::ExitCode {
    percale::cli::main()
}
