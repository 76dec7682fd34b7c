//! The one progress bar: on a terminal, and only when work lasts over a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
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
        let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
        Self::bytes(what, if known { paths.iter().map(size).sum() } else { 0 })
    }

    /// For so many bytes; 0 if no one knows.
    pub fn bytes(what: &'static str, total: u64) -> Self {
        let template = if total > 0 {
            "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta} left"
        } else {
            "{msg} {spinner} {bytes} {bytes_per_sec}"
        };
        Self::new(what, total, template)
    }

    /// For keys, of which no one knows how many there are, told by several threads.
    pub fn shared_keys(what: &'static str) -> impl Fn(u64) + Sync {
        let bar = Self::new(what, 0, "{msg} {spinner} {human_pos} keys {per_sec}");
        let bar = Mutex::new(bar);
        move |keys| bar.lock().unwrap_or_else(PoisonError::into_inner).advance(keys)
    }

    /// For so many parts of a stage.
    pub fn parts(what: &'static str, total: u64) -> Self {
        Self::new(what, total, "{msg} [{bar:30}] {percent} % {per_sec} {eta} left")
    }

    fn new(what: &'static str, total: u64, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(
            (total > 0).then_some(total),
            ProgressDrawTarget::hidden(),
        );
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what);
        Self { bar, started: Instant::now(), shown: false }
    }

    /// So many bytes or parts more were done.
    pub fn advance(&mut self, done: u64) {
        if !self.shown && self.started.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
