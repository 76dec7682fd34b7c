//! Who may connect to a socket in the file system.

use serde::Deserialize;

/// Mode and group of a socket.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Raw")]
pub struct SocketAccess {
    /// The permissions; only the owner by default.
    pub mode: u32,
    /// The group; that of the process by default.
    pub group: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default = "private")]
    mode: String,
    group: Option<String>,
}

fn private() -> String {
    "0600".to_owned()
}

impl Default for SocketAccess {
    fn default() -> Self {
        Self { mode: 0o600, group: None }
    }
}

impl TryFrom<Raw> for SocketAccess {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        let mode = u32::from_str_radix(&raw.mode, 8).ok().filter(|mode| *mode <= 0o777);
        let refused = || format!("{:?} is no mode: write \"0660\"", raw.mode);
        Ok(Self { mode: mode.ok_or_else(refused)?, group: raw.group })
    }
}
