//! The one progress bar: on a terminal, and only when work lasts over a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Shows how far reading has come.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    shown: bool,
}

impl Progress {
    /// For reading these files; of standard input the end is not known.
    pub fn reading(what: &'static str, paths: &[PathBuf]) -> Self {
        let known = !paths.is_empty() && paths.iter().all(|path| path != Path::new("-"));
        let total = if known {
            paths.iter().map(|path| std::fs::metadata(path).map_or(0, |data| data.len())).sum()
        } else {
            0
        };
        let bar = ProgressBar::with_draw_target(
            (total > 0).then_some(total),
            ProgressDrawTarget::hidden(),
        );
        let template = if total > 0 {
            "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta} left"
        } else {
            "{msg} {spinner} {bytes} {bytes_per_sec}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what);
        Self { bar, started: Instant::now(), shown: false }
    }

    /// So many bytes more were done.
    pub fn advance(&mut self, bytes: usize) {
        if !self.shown && self.started.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(bytes as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
