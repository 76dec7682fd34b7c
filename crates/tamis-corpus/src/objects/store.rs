//! The stores of a run, by their addresses, and the threads that wait for them.

use super::Failed;
use crate::files::name_of;
use crate::{Error, Result};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::client::{HttpClient, HttpConnector, ReqwestConnector};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// The stores of a run.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    tasks: Option<Arc<Tasks>>,
    known: HashMap<String, Arc<dyn ObjectStore>>,
    web: Web,
}

/// How often a request is repeated, and for how long: half a minute at most.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(5),
            base: 2.0,
        },
        max_retries: 6,
        retry_timeout: Duration::from_secs(30),
    }
}

impl Stores {
    /// The threads that wait for stores; they end with the last object.
    pub(super) fn tasks(&mut self, input: &Path) -> Result<Arc<Tasks>> {
        if let Some(tasks) = &self.tasks {
            return Ok(Arc::clone(tasks));
        }
        // Encryption by one library for all of the project; whoever has chosen another one has it.
        rustls::crypto::ring::default_provider().install_default().ok();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(4)
            .thread_name("tamis-objects")
            .enable_all()
            .build();
        let failed = |source| Error::Read { name: name_of(input), source };
        let tasks = Arc::new(Tasks(Some(runtime.map_err(failed)?)));
        self.tasks = Some(Arc::clone(&tasks));
        Ok(tasks)
    }

    /// The store of a bucket or container.
    pub(super) fn bucket(
        &mut self,
        scheme: &str,
        bucket: &str,
    ) -> io::Result<Arc<dyn ObjectStore>> {
        let address = format!("{scheme}://{bucket}");
        if let Some(store) = self.known.get(&address) {
            return Ok(Arc::clone(store));
        }
        let store: Arc<dyn ObjectStore> = match scheme {
            "s3" | "s3a" => {
                let builder = AmazonS3Builder::from_env().with_url(&address).with_retry(retries());
                let keys = [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint];
                let endpoints = keys.map(|key| builder.get_config_value(&key));
                let allow = AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp);
                Arc::new(
                    match is_plain(endpoints) {
                        true => builder.with_config(allow, "true").build(),
                        false => builder.build(),
                    }
                    .map_err(|e| failed(&e))?,
                )
            }
            "gs" => {
                let builder =
                    GoogleCloudStorageBuilder::from_env().with_url(&address).with_retry(retries());
                let endpoint = builder.get_config_value(&GoogleConfigKey::BaseUrl);
                let allow = GoogleConfigKey::Client(ClientConfigKey::AllowHttp);
                Arc::new(
                    match is_plain([endpoint]) {
                        true => builder.with_config(allow, "true").build(),
                        false => builder.build(),
                    }
                    .map_err(|e| failed(&e))?,
                )
            }
            _ => {
                let builder =
                    MicrosoftAzureBuilder::from_env().with_url(&address).with_retry(retries());
                let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
                let allow = AzureConfigKey::Client(ClientConfigKey::AllowHttp);
                Arc::new(
                    match is_plain([endpoint]) {
                        true => builder.with_config(allow, "true").build(),
                        false => builder.build(),
                    }
                    .map_err(|e| failed(&e))?,
                )
            }
        };
        self.known.insert(address, Arc::clone(&store));
        Ok(store)
    }

    /// The file of a web server, as a store with one object, whose key is empty.
    pub(super) fn web(&self, address: &str) -> io::Result<Arc<dyn ObjectStore>> {
        let options = ClientOptions::new()
            .with_allow_http(true)
            .with_timeout_disabled()
            .with_connect_timeout(Duration::from_secs(10))
            .with_read_timeout(Duration::from_secs(30));
        let store = HttpBuilder::new()
            .with_url(address)
            .with_client_options(options)
            .with_retry(retries())
            .with_http_connector(self.web.clone())
            .build();
        Ok(Arc::new(store.map_err(|e| failed(&e))?))
    }
}

/// Whether an endpoint is asked without encryption, because its address says so.
fn is_plain<const N: usize>(endpoints: [Option<String>; N]) -> bool {
    endpoints.iter().flatten().any(|endpoint| endpoint.starts_with("http://"))
}

/// One client for all web servers.
#[derive(Debug, Clone, Default)]
struct Web(Arc<Mutex<Option<HttpClient>>>);

impl HttpConnector for Web {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut client = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*client {
            return Ok(client.clone());
        }
        let new = ReqwestConnector::default().connect(options)?;
        *client = Some(new.clone());
        Ok(new)
    }
}

/// The threads that wait for stores.
#[derive(Debug)]
pub(super) struct Tasks(Option<Runtime>);

impl Tasks {
    fn runtime(&self) -> &Runtime {
        self.0.as_ref().expect("it ends when this is dropped")
    }

    pub(super) fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.runtime().spawn(task)
    }

    pub(super) fn wait<T>(&self, task: impl Future<Output = T>) -> T {
        self.runtime().block_on(task)
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        // Nobody waits for the answer to a request that is under way.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// What a store said, in one sentence.
pub(super) fn failed(error: &object_store::Error) -> io::Error {
    use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};
    let all = error.to_string();
    let (kind, sentence) = match error {
        _ if all.contains("NoSuchBucket") => {
            (io::ErrorKind::NotFound, "there is no such bucket".to_owned())
        }
        NotFound { .. } => (io::ErrorKind::NotFound, "there is no such object".to_owned()),
        PermissionDenied { .. } | Unauthenticated { .. } => {
            (io::ErrorKind::PermissionDenied, "the store denies access".to_owned())
        }
        _ => {
            let mut cause: &dyn std::error::Error = error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            let line = cause.to_string();
            let line: String = line.lines().next().unwrap_or_default().chars().take(300).collect();
            (io::ErrorKind::Other, line)
        }
    };
    Failed::error(kind, sentence)
}
