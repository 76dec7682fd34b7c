//! Large responses keep their memory until the client has read them.

use super::Problem;
use crate::limits::{Hold, SMALL};
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A large response is written in pieces of this many bytes.
const PIECE: usize = 16 << 10;

/// Bytes, and the memory that they take.
struct Held {
    bytes: Bytes,
    _hold: Arc<Hold>,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = &mut self.get_mut().bytes;
        let piece = bytes.split_to(bytes.len().min(PIECE));
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

/// A response that holds as much memory as it is large, and no more; a small one holds none.
pub(super) async fn held(response: Response, hold: &Arc<Hold>) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Problem::bad("the response cannot be written").into_response();
    };
    if bytes.len() <= SMALL {
        hold.release();
        return Response::from_parts(parts, Body::from(bytes));
    }
    match hold.settle(bytes.len()).await {
        Ok(()) => Response::from_parts(parts, Body::new(Held { bytes, _hold: Arc::clone(hold) })),
        Err(no_room) => Problem::from(no_room).into_response(),
    }
}
