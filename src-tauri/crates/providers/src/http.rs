//! The one place that opens connections.

use std::error::Error;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use facsimile_agent::ErrorKind;
use futures::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, ClientBuilder, Response, Url, redirect};

use crate::endpoint::Endpoint;
use crate::error::{AnswerFacts, Hint, Mask, Rejection};
use facsimile_agent::Secret;

/// A host that does not take the connection in this time is not there.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A stream without a byte for this long has stalled. Keep-alives are bytes too.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
/// Of an error's body this much is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// Of a list this much is read.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// The header that a key belongs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer`.
    Bearer,
    /// Anthropic's `x-api-key`.
    XApiKey,
    /// Google's `x-goog-api-key`.
    XGoogApiKey,
    /// Azure's `api-key`.
    ApiKey,
}

/// The clients, made when they are first needed.
#[derive(Debug)]
pub(crate) struct Clients {
    idle_timeout: Duration,
    secure: OnceLock<Client>,
    plain: OnceLock<Client>,
    loopback: OnceLock<Client>,
}

impl Clients {
    /// Clients that give up on a stream that is silent for this long.
    pub(crate) fn giving_up_after(idle_timeout: Duration) -> Self {
        let (secure, plain, loopback) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { idle_timeout, secure, plain, loopback }
    }

    fn of(&self, endpoint: &Endpoint, url: &Url) -> Result<Client, Rejection> {
        let (kept, builder) = match url.scheme() {
            _ if endpoint.base.is_loopback() => (&self.loopback, without_certificates().no_proxy()),
            "http" => (&self.plain, without_certificates()),
            _ => (&self.secure, base_client()),
        };
        if let Some(client) = kept.get() {
            return Ok(client.clone());
        }
        let client = builder.build().map_err(|error| {
            Rejection::without_answer(
                ErrorKind::Network,
                format!("no secure connection: {}", root_cause(&error)),
            )
        })?;
        Ok(kept.get_or_init(|| client).clone())
    }
}

pub(crate) fn base_client() -> ClientBuilder {
    // Whoever was first has installed a provider already; that one serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("Facsimile/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the key to another host.
        .redirect(redirect::Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        .connect_timeout(CONNECT_TIMEOUT)
}

/// A plain connection needs no certificates, and not every machine has some.
fn without_certificates() -> ClientBuilder {
    base_client().tls_certs_only([])
}

/// The way to one endpoint: client, headers, key.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    client: Client,
    headers: HeaderMap,
    mask: Mask,
    idle_timeout: Duration,
}

impl Link {
    /// The way to an endpoint with this key in that header.
    pub(crate) fn new(
        clients: &Clients,
        endpoint: &Endpoint,
        key: Option<&Secret>,
        key_header: KeyHeader,
        fixed: &[(&'static str, &'static str)],
    ) -> Result<Self, Rejection> {
        let url = endpoint.base.join("").map_err(|refused| bad_address(&refused))?;
        let client = clients.of(endpoint, &url)?;
        let mut headers = HeaderMap::new();
        for (name, value) in fixed {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = key {
            let (name, value) = match key_header {
                KeyHeader::Bearer => ("authorization", format!("Bearer {}", key.expose())),
                KeyHeader::XApiKey => ("x-api-key", key.expose().to_owned()),
                KeyHeader::XGoogApiKey => ("x-goog-api-key", key.expose().to_owned()),
                KeyHeader::ApiKey => ("api-key", key.expose().to_owned()),
            };
            let mut value = HeaderValue::try_from(value).map_err(|_| {
                let words = "the key holds characters that no key has; copy it again";
                Rejection::without_answer(ErrorKind::BadKey, words)
            })?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        let mask = key.map_or_else(Mask::default, |key| Mask::of(key.expose()));
        Ok(Self { client, headers, mask, idle_timeout: clients.idle_timeout })
    }

    /// Hides the key in words.
    pub(crate) fn mask(&self) -> &Mask {
        &self.mask
    }

    /// How long a stream may be silent.
    pub(crate) fn idle_timeout(&self) -> Duration {
        self.idle_timeout
    }

    /// Sends a body and gives the answer once its head is there.
    pub(crate) async fn post(&self, url: Url, body: Vec<u8>) -> Result<Answer, Rejection> {
        let request = self
            .client
            .post(url)
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body);
        open(request, self.idle_timeout).await
    }

    /// Sends a body with these headers and gives the answer once its head is there.
    pub(crate) async fn post_with(
        &self,
        url: Url,
        headers: &[(HeaderName, &str)],
        body: Vec<u8>,
        patience: Duration,
    ) -> Result<Answer, Rejection> {
        let mut request = self.client.post(url).headers(self.headers.clone()).body(body);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        open(request, patience).await
    }

    /// Gets a list.
    pub(crate) async fn get(&self, url: Url) -> Result<Answer, Rejection> {
        let request = self.client.get(url).headers(self.headers.clone()).header(ACCEPT, "application/json");
        open(request, CONNECT_TIMEOUT).await
    }
}

async fn open(request: reqwest::RequestBuilder, patience: Duration) -> Result<Answer, Rejection> {
    match tokio::time::timeout(patience, request.send()).await {
        Ok(Ok(response)) => Ok(Answer { response }),
        Ok(Err(error)) => Err(no_connection(&error)),
        Err(_) => Err(silence(patience)),
    }
}

pub(crate) fn bad_address(refused: &crate::endpoint::AddressRefused) -> Rejection {
    Rejection::without_answer(ErrorKind::BadRequest, refused.to_string())
}

fn silence(patience: Duration) -> Rejection {
    let words = format!("nothing came for {} seconds", patience.as_secs());
    Rejection::without_answer(ErrorKind::Stalled, words)
}

fn no_connection(error: &reqwest::Error) -> Rejection {
    let words = if error.is_timeout() {
        format!("no connection within {} seconds", CONNECT_TIMEOUT.as_secs())
    } else {
        root_cause(error)
    };
    Rejection::without_answer(ErrorKind::Network, words)
}

/// The innermost cause, which alone says something; the outer ones repeat the address.
pub(crate) fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// An answer whose body is still coming.
pub(crate) struct Answer {
    response: Response,
}

impl Answer {
    /// The status.
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// What an error needs to know of the head.
    pub(crate) fn facts(&self) -> AnswerFacts {
        let ids = ["x-request-id", "request-id", "apim-request-id", "x-goog-request-id"];
        AnswerFacts {
            request_id: ids.into_iter().find_map(|name| self.header(name)).map(str::to_owned),
            hint: Hint::read(|name| self.header(name), SystemTime::now()),
        }
    }

    /// Whether the body can be a stream of events.
    pub(crate) fn may_be_events(&self) -> bool {
        let kind = self.header("content-type").unwrap_or_default().to_ascii_lowercase();
        !kind.starts_with("application/json") && !kind.starts_with("text/html")
    }

    /// The way the body was packed, though nothing but plain bytes was asked for.
    pub(crate) fn packing(&self) -> Option<&str> {
        self.header("content-encoding").filter(|packing| !packing.eq_ignore_ascii_case("identity"))
    }

    /// The host a redirect points to.
    pub(crate) fn redirect_host(&self) -> Option<String> {
        if !self.response.status().is_redirection() {
            return None;
        }
        let target = self.header(LOCATION.as_str()).and_then(|target| self.response.url().join(target).ok());
        Some(
            target
                .and_then(|url| url.host_str().map(str::to_owned))
                .unwrap_or_else(|| "elsewhere".to_owned()),
        )
    }

    /// The next bytes; `None` at the end.
    pub(crate) async fn next_piece(
        &mut self,
        patience: Duration,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, Rejection> {
        match tokio::time::timeout(patience, self.response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(error)) => {
                let words = format!("the connection broke: {}", root_cause(&error));
                Err(Rejection::without_answer(ErrorKind::StreamEndedEarly, words))
            }
            Err(_) => Err(silence(patience)),
        }
    }

    /// The body of an error, as far as it is worth reading.
    pub(crate) async fn error_body(self) -> String {
        self.text(MAX_ERROR_BYTES).await
    }

    /// The body of a list.
    pub(crate) async fn list_body(self) -> String {
        self.text(MAX_LIST_BYTES).await
    }

    /// The whole body, or why there is none.
    pub(crate) async fn whole_body(mut self, most_bytes: usize) -> Result<Vec<u8>, Rejection> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next_piece(IDLE_TIMEOUT).await? {
            if bytes.len() + piece.as_ref().len() > most_bytes {
                return Err(Rejection::protocol("the answer is too large"));
            }
            bytes.extend_from_slice(piece.as_ref());
        }
        Ok(bytes)
    }

    async fn text(self, most: usize) -> String {
        let mut bytes = Vec::new();
        let mut stream = self.response.bytes_stream();
        while let Ok(Some(Ok(piece))) = tokio::time::timeout(CONNECT_TIMEOUT, stream.next()).await {
            let room = most - bytes.len();
            bytes.extend_from_slice(&piece[..piece.len().min(room)]);
            if bytes.len() == most {
                break;
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
