//! TLS for the page and the JSON interface.

use crate::{Error, Result};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{ConfigBuilder, ServerConfig, WantsVerifier};

/// Accepts connections with this certificate.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor> {
    let refused = |name: &Path, what: String| Error::Certificate { name: name.to_owned(), what };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| refused(certificate, error.to_string()))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|e| refused(key, e.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map(ConfigBuilder::<ServerConfig, WantsVerifier>::with_no_client_auth)
        .and_then(|builder| builder.with_single_cert(chain, secret))
        .map_err(|error| refused(certificate, error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
