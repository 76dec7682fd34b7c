//! Packets of the milter protocol, version 6: a length of four bytes, a letter, and what the letter says follows.
//!
//! Written from the public description of the protocol (`mfdef.h` of libmilter names the letters and the bits).

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest packet. Mail servers send at most 64 kB of a body at a time, and headers of any length.
pub const LONGEST: usize = 1 << 20;

/// What a mail server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// What it is about.
    pub command: u8,
    /// What it says.
    pub data: Vec<u8>,
}

/// Why there is no packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPacket {
    /// The other side has ended.
    End,
    /// A length that no packet has.
    Length,
}

/// A packet of at most this many bytes needs no memory of the message.
const SHORT: usize = 4 << 10;

/// Reads a packet. `allow` says whether there is memory for one of this length.
pub async fn read<F: Future<Output = bool>>(
    stream: &mut (impl AsyncRead + Unpin),
    allow: impl FnOnce(usize) -> F,
) -> Result<Packet, NoPacket> {
    let length = stream.read_u32().await.map_err(|_| NoPacket::End)? as usize;
    if length == 0 || length > LONGEST {
        return Err(NoPacket::Length);
    }
    if length > SHORT && !allow(length).await {
        return Err(NoPacket::End);
    }
    let command = stream.read_u8().await.map_err(|_| NoPacket::End)?;
    // As much as comes, and not as much as was announced.
    let mut data = Vec::new();
    let wanted = length - 1;
    let mut taken = stream.take(wanted as u64);
    taken.read_to_end(&mut data).await.map_err(|_| NoPacket::End)?;
    if data.len() == wanted { Ok(Packet { command, data }) } else { Err(NoPacket::End) }
}

/// Writes a packet.
pub async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    command: u8,
    data: &[u8],
) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(data.len() + 5);
    bytes.extend_from_slice(&(data.len() as u32 + 1).to_be_bytes());
    bytes.push(command);
    bytes.extend_from_slice(data);
    stream.write_all(&bytes).await
}

/// Texts that end with a zero each.
pub fn texts(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = data.strip_suffix(&[0]).unwrap_or(data);
    whole.split(|byte| *byte == 0)
}

/// Puts texts behind each other, each with a zero at its end.
pub fn joined(texts: &[&[u8]]) -> Vec<u8> {
    let mut data = Vec::new();
    for text in texts {
        data.extend(text.iter().filter(|byte| **byte != 0));
        data.push(0);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn packets_come_back_and_odd_lengths_do_not() {
        let mut bytes = Vec::new();
        write(&mut bytes, b'L', b"Subject\0x\0").await.expect("written");
        let packet = read(&mut &bytes[..], |_| async { true }).await.expect("a packet");
        assert_eq!((packet.command, &packet.data[..]), (b'L', &b"Subject\0x\0"[..]));
        assert_eq!(texts(&packet.data).collect::<Vec<_>>(), [&b"Subject"[..], b"x"]);
        assert_eq!(
            read(&mut &bytes[..bytes.len() - 1], |_| async { true }).await,
            Err(NoPacket::End)
        );
        for length in [0, LONGEST as u32 + 1, u32::MAX] {
            let bytes = length.to_be_bytes();
            assert_eq!(read(&mut &bytes[..], |_| async { true }).await, Err(NoPacket::Length));
        }
    }
}
