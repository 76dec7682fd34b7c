//! Cascades as their users see them.

mod classic;
mod golden;
mod many;
