//! What this process has used so far.

/// The processor time of this process so far, in seconds, of the user and of the system.
#[cfg(unix)]
pub(crate) fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Without a clock for processes, the time that has gone by on one thread.
#[cfg(not(unix))]
pub(crate) fn processor_time() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// The largest memory of this process so far, in megabytes; none where the system does not tell.
pub(crate) fn largest_memory() -> Option<f64> {
    megabytes("VmHWM:")
}

/// The memory of this process now, in megabytes; none where the system does not tell.
pub(crate) fn memory() -> Option<f64> {
    megabytes("VmRSS:")
}

fn megabytes(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
