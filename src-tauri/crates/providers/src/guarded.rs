//! The HTTP client for everything that is not a provider's endpoint: results of image services, pages and pictures
//! that somebody named.
//!
//! A [`GuardedClient`] opens connections only to addresses its [`AddressGate`] admits, checks every hop of a redirect
//! anew, sends no key, no cookie and no referrer, and reads no more than its [`FetchLimits`] allow.

mod address;
mod body;
mod resolve;

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, Url};

pub use address::{AddressGate, PublicInternet};
pub use resolve::{Names, SystemNames};

use crate::http::{base_client, root_cause};
use resolve::{CheckedNames, NotAdmitted};

/// Redirects that are followed. Who needs more is lost or means no good.
const MAX_REDIRECTS: usize = 5;
/// The largest picture that is fetched.
const MAX_PICTURE_BYTES: usize = 32 * 1024 * 1024;

/// Why something was not fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchRefused {
    /// Not an address.
    #[error("that is not a web address; write it like https://example.com/picture.png")]
    NoAddress,
    /// Something else than HTTP.
    #[error("only http:// and https:// addresses are fetched, not {0}:")]
    Scheme(String),
    /// User and password in the address.
    #[error("the address holds a user name or password; take it out")]
    Credentials,
    /// This machine, its network or its data centre.
    #[error("{0} is not on the public internet, so it is not fetched; save the file and add it instead")]
    NotPublic(String),
    /// A redirect from an encrypted to a plain connection.
    #[error("the address redirects from https to http; use the final address if you trust it")]
    DroppedTls,
    /// A redirect that leads on and on.
    #[error("the address redirects more than {MAX_REDIRECTS} times; use the final address")]
    TooManyRedirects,
    /// An answer that is no success.
    #[error("the server answered with status {0}; check the address")]
    Status(u16),
    /// More than is read.
    #[error("the answer is larger than {} MB; use a smaller file", .most_bytes / 1_048_576)]
    TooLarge {
        /// What would have been read.
        most_bytes: usize,
    },
    /// A body that unpacks to far more than was sent.
    #[error("the answer unpacks to far more than was sent, so it was dropped")]
    Bomb,
    /// A packing nobody asked for.
    #[error("the answer is packed as {0}, which is not read")]
    Packing(String),
    /// Another type than was wanted, or not what it says it is.
    #[error("the answer is {found}, not {wanted}")]
    WrongType {
        /// What it is.
        found: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// Nothing for too long, or too little.
    #[error("the server is too slow; try again")]
    TooSlow,
    /// No connection, or one that broke.
    #[error("the connection failed: {0}; try again")]
    Broken(String),
}

/// What one fetch may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchLimits {
    /// The largest body, packed and unpacked.
    pub max_bytes: usize,
    /// The longest silence.
    pub idle_timeout: Duration,
    /// The whole time, redirects included.
    pub total_timeout: Duration,
}

impl FetchLimits {
    /// What a picture may take.
    pub fn of_picture() -> Self {
        Self {
            max_bytes: MAX_PICTURE_BYTES,
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(90),
        }
    }
}

/// What was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The media type as the server says it, without parameters.
    pub mime: String,
    /// The whole body.
    pub bytes: Vec<u8>,
    /// Where it came from in the end.
    pub address: String,
}

/// A picture that was fetched and is what it says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPicture {
    /// Its true media type.
    pub mime: &'static str,
    /// The encoded picture.
    pub bytes: Vec<u8>,
}

/// Fetches from the public internet.
#[derive(Clone)]
pub struct GuardedClient {
    gate: Arc<dyn AddressGate>,
    names: Arc<dyn Names>,
    limits: FetchLimits,
    client: Arc<OnceLock<Client>>,
}

impl std::fmt::Debug for GuardedClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GuardedClient")
    }
}

impl Default for GuardedClient {
    fn default() -> Self {
        Self::through(PublicInternet, SystemNames)
    }
}

impl GuardedClient {
    /// A client that connects to what this gate admits, under the names as they are resolved here.
    pub fn through(gate: impl AddressGate, names: impl Names) -> Self {
        let (gate, names) = (Arc::new(gate), Arc::new(names));
        Self { gate, names, limits: FetchLimits::of_picture(), client: Arc::default() }
    }

    /// The same with other limits.
    pub fn limited(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Fetches whatever is at an address.
    pub async fn fetch(&self, address: &str) -> Result<Fetched, FetchRefused> {
        let fetching = async {
            let response = self.answer(address, "*/*").await?;
            self.whole(response).await
        };
        tokio::time::timeout(self.limits.total_timeout, fetching).await.unwrap_or(Err(FetchRefused::TooSlow))
    }

    /// Fetches a picture: declared as one, and one by its bytes.
    pub async fn fetch_picture(&self, address: &str) -> Result<FetchedPicture, FetchRefused> {
        let fetching = async {
            let response = self.answer(address, "image/png,image/jpeg,image/webp,image/gif").await?;
            let declared = media_type(&response);
            // Stores of files know no types and say so.
            if !declared.starts_with("image/") && declared != "application/octet-stream" {
                return Err(FetchRefused::WrongType { found: declared, wanted: "a picture" });
            }
            let bytes = self.whole(response).await?.bytes;
            let mime = crate::images::sniffed(&bytes)
                .ok_or(FetchRefused::WrongType { found: declared, wanted: "a PNG, JPEG, WebP or GIF" })?;
            Ok(FetchedPicture { mime, bytes })
        };
        tokio::time::timeout(self.limits.total_timeout, fetching).await.unwrap_or(Err(FetchRefused::TooSlow))
    }

    async fn whole(&self, response: Response) -> Result<Fetched, FetchRefused> {
        let (mime, address) = (media_type(&response), response.url().to_string());
        let bytes = body::read(response, &self.limits).await?;
        Ok(Fetched { mime, bytes, address })
    }

    /// Follows redirects to an answer that is a success.
    async fn answer(&self, address: &str, accept: &'static str) -> Result<Response, FetchRefused> {
        let client = self.client()?;
        let mut url = address::read_address(address)?;
        for _ in 0..=MAX_REDIRECTS {
            address::check_host(&url, self.gate.as_ref())?;
            let request = client.get(url.clone()).header(ACCEPT, accept);
            let response = match tokio::time::timeout(self.limits.idle_timeout, request.send()).await {
                Ok(sent) => sent.map_err(|error| no_connection(&error))?,
                Err(_) => return Err(FetchRefused::TooSlow),
            };
            let status = response.status();
            if !status.is_redirection() {
                return if status.is_success() {
                    Ok(response)
                } else {
                    Err(FetchRefused::Status(status.as_u16()))
                };
            }
            url = redirected(&url, &response)?;
        }
        Err(FetchRefused::TooManyRedirects)
    }

    fn client(&self) -> Result<Client, FetchRefused> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let names = CheckedNames { names: Arc::clone(&self.names), gate: Arc::clone(&self.gate) };
        // A proxy would resolve the names itself, and a kept connection would escape the next check.
        let builder = base_client().no_proxy().pool_max_idle_per_host(0).dns_resolver(Arc::new(names));
        let client = builder.build().map_err(|error| FetchRefused::Broken(root_cause(&error)))?;
        Ok(self.client.get_or_init(|| client).clone())
    }
}

fn redirected(from: &Url, response: &Response) -> Result<Url, FetchRefused> {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let location = location.ok_or(FetchRefused::Status(response.status().as_u16()))?;
    address::next_hop(from, location)
}

fn media_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let value = value.and_then(|value| value.split(';').next()).unwrap_or("something without a type");
    value.trim().to_ascii_lowercase()
}

fn no_connection(error: &reqwest::Error) -> FetchRefused {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(inner) = cause {
        if let Some(NotAdmitted(host)) = inner.downcast_ref() {
            return FetchRefused::NotPublic(host.clone());
        }
        cause = inner.source();
    }
    if error.is_timeout() { FetchRefused::TooSlow } else { FetchRefused::Broken(root_cause(error)) }
}
