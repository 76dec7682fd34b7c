//! Errors as `application/problem+json` (RFC 9457).

use crate::Error;
use crate::limits::NoRoom;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// What was wrong with a request, or here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    detail: String,
}

impl Problem {
    /// With a sentence for people.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into() }
    }

    /// A request that makes no sense.
    pub fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        use tamis_mail::Error as Mail;
        let status = match &error {
            Error::Forgotten { .. } => StatusCode::GONE,
            Error::NoFile { .. } | Error::Mail(Mail::NoLabel { .. }) => StatusCode::NOT_FOUND,
            Error::TooManyUsers { .. } => StatusCode::FORBIDDEN,
            Error::File(tamis_corpus::Error::Busy { .. }) => StatusCode::SERVICE_UNAVAILABLE,
            Error::Request { .. }
            | Error::Mail(Mail::Label { .. } | Mail::TooManyLabels { .. } | Mail::User { .. })
            | Error::Sketch(
                tamis::Error::Rate { .. }
                | tamis::Error::Hashes { .. }
                | tamis::Error::Bits { .. }
                | tamis::Error::Memory { .. }
                | tamis::Error::Parameter { .. }
                | tamis::Error::Unsupported { .. },
            ) => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.sentence())
    }
}

impl From<tamis::Error> for Problem {
    fn from(error: tamis::Error) -> Self {
        Error::from(error).into()
    }
}

impl From<NoRoom> for Problem {
    fn from(no_room: NoRoom) -> Self {
        match no_room {
            NoRoom::TooLarge => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "this is larger than the server allows")
            }
            NoRoom::Busy => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "others have all the memory for requests; try again later",
            ),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        (self.status, kind, body.to_string()).into_response()
    }
}
