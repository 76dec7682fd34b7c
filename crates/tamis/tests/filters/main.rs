//! What the filters promise, seen from outside: laws that hold whatever is done to them, rates
//! that were asked for, files that refuse damage, golden files, and threads.

mod concurrent;
mod files;
mod golden;
mod habit;
mod laws;
mod rates;
mod support;
