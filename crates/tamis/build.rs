//! Tells the library how new the compiler is.

use std::env;
use std::process::Command;

/// The first minor version with the intrinsics of AVX-512.
const INTRINSICS: u32 = 89;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(modern_intrinsics)");
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output();
    let version = version.map_or_else(|_| Vec::new(), |output| output.stdout);
    let version = String::from_utf8_lossy(&version);
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse().ok());
    if minor.is_some_and(|minor: u32| minor >= INTRINSICS) {
        println!("cargo::rustc-cfg=modern_intrinsics");
    }
}
