//! What a store promises: nothing acknowledged is lost, and a forgotten message leaves no trace.

mod base;
mod common;
mod damage;
mod follow;
mod labels;
mod laws;
mod old;
mod order;
mod portable;
#[cfg(unix)]
mod private;
mod repair;
mod shared;
mod small;
mod teachers;
mod verify;
mod version2;
