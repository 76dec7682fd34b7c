//! A chart: panels side by side.

use super::panel::Panel;
use super::{Drawing, panel};
use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;
use serde::Serialize;

/// Panels in rows of up to three.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Chart {
    /// From left to right, then below.
    pub panels: Vec<Panel>,
}

impl Chart {
    /// These panels.
    #[must_use]
    pub const fn new(panels: Vec<Panel>) -> Self {
        Self { panels }
    }

    fn columns(&self) -> usize {
        match self.panels.len() {
            0 | 1 => 1,
            2 | 4 => 2,
            _ => 3,
        }
    }
}

impl Drawing for Chart {
    fn size(&self) -> (u32, u32) {
        let (width, height) = panel::SIZE;
        let columns = self.columns();
        let rows = self.panels.len().div_ceil(columns).max(1);
        (width * columns as u32, height * rows as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<()>
    where
        B::ErrorType: 'static,
    {
        let columns = self.columns();
        let rows = self.panels.len().div_ceil(columns).max(1);
        for (panel, part) in self.panels.iter().zip(area.split_evenly((rows, columns))) {
            panel.draw(&part)?;
        }
        Ok(())
    }
}
