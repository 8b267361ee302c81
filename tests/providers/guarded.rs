//! What the guarded client refuses to fetch, against a server on loopback that answers as badly as it can.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use facsimile_providers::guarded::{
    AddressGate, FetchLimits, FetchRefused, GuardedClient, Names, PublicInternet, SystemNames,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PNG: &[u8] = include_bytes!("../../icons/32x32.png");

/// Admits the one address the tests' server is at.
struct OnlyTheServer;

impl AddressGate for OnlyTheServer {
    fn admits(&self, address: IpAddr) -> bool {
        address == IpAddr::V4(Ipv4Addr::LOCALHOST)
    }
}

/// Names with fixed answers, one after the other; the last one stays.
struct Answers {
    answers: Vec<IpAddr>,
    asked: Arc<AtomicUsize>,
}

impl Names for Answers {
    fn addresses(&self, _: &str) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let answer = self.answers[at];
        async move { Ok(vec![answer]) }.boxed()
    }
}

struct Server {
    address: String,
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&log)));
            }
        });
        Self { address: format!("http://127.0.0.1:{port}"), port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn head(status: &str, headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n").into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn serve(mut stream: TcpStream, log: Arc<Mutex<Vec<String>>>) {
    let mut request = vec![0; 4096];
    let read = stream.read(&mut request).await.unwrap_or(0);
    let request = String::from_utf8_lossy(&request[..read]).into_owned();
    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
    log.lock().unwrap().push(request);
    let plain = |mime: &str, body: &[u8]| {
        let headers = format!("content-type: {mime}\r\ncontent-length: {}\r\n", body.len());
        [head("200 OK", &headers), body.to_vec()].concat()
    };
    let packed = |body: &[u8]| {
        let headers = "content-type: text/css\r\ncontent-encoding: gzip\r\n";
        [head("200 OK", headers), body.to_vec()].concat()
    };
    let to = |location: &str| head("302 Found", &format!("location: {location}\r\ncontent-length: 0\r\n"));
    let answer = match path.as_str() {
        "/png" => plain("image/png", PNG),
        "/unnamed" => plain("application/octet-stream", PNG),
        "/page" => plain("text/html", b"<p>not a picture"),
        "/lie" => plain("image/png", b"<svg onload=alert(1)>"),
        "/missing" => head("404 Not Found", "content-length: 0\r\n"),
        "/huge" => head("200 OK", "content-type: image/png\r\ncontent-length: 209715200\r\n"),
        "/short" => {
            [head("200 OK", "content-type: image/png\r\ncontent-length: 99999\r\n"), PNG.to_vec()].concat()
        }
        "/packed" => packed(&gzip(b"body{}")),
        "/bomb" => packed(&gzip(&vec![0; 8 << 20])),
        "/brotli" => head("200 OK", "content-type: text/css\r\ncontent-encoding: br\r\n"),
        "/to-png" => to("/png"),
        "/to-private" => to("http://169.254.169.254/latest/meta-data"),
        "/to-file" => to("file:///etc/passwd"),
        "/to-data" => to("data:image/png;base64,AA"),
        "/to-ftp" => to("ftp://127.0.0.1/a.png"),
        "/endless" => return endless(stream).await,
        "/drip" => return drip(stream).await,
        "/silent" => return silent(stream).await,
        _ => match path.strip_prefix("/chain/").and_then(|left| left.parse::<u32>().ok()) {
            Some(0) => plain("image/png", PNG),
            Some(left) => to(&format!("/chain/{}", left - 1)),
            None => head("404 Not Found", "content-length: 0\r\n"),
        },
    };
    // The client may have left already; that is its right.
    let _ = stream.write_all(&answer).await;
}

async fn endless(mut stream: TcpStream) {
    let _ = stream.write_all(&head("200 OK", "content-type: image/png\r\n")).await;
    while stream.write_all(&[7; 4096]).await.is_ok() {}
}

/// A byte now and then: never silent, never done.
async fn drip(mut stream: TcpStream) {
    let _ = stream.write_all(&head("200 OK", "content-type: image/png\r\n")).await;
    let mut tick = tokio::time::interval(Duration::from_millis(5));
    while stream.write_all(&[7]).await.is_ok() {
        tick.tick().await;
    }
}

async fn silent(mut stream: TcpStream) {
    let _ = stream.write_all(&head("200 OK", "content-type: image/png\r\n")).await;
    std::future::pending::<()>().await;
}

fn limits() -> FetchLimits {
    FetchLimits {
        max_bytes: 256 * 1024,
        idle_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(40),
    }
}

fn client() -> GuardedClient {
    GuardedClient::through(OnlyTheServer, SystemNames).limited(limits())
}

async fn refusal(server: &Server, path: &str) -> FetchRefused {
    client().fetch_picture(&format!("{}{path}", server.address)).await.unwrap_err()
}

#[tokio::test]
async fn a_picture_is_fetched_through_a_redirect_without_key_or_cookie() {
    let server = Server::start().await;
    for path in ["/png", "/to-png", "/unnamed", "/chain/5"] {
        let picture = client().fetch_picture(&format!("{}{path}", server.address)).await.unwrap();
        assert_eq!((picture.mime, picture.bytes.as_slice()), ("image/png", PNG), "{path}");
    }
    let packed = client().fetch(&format!("{}/packed", server.address)).await.unwrap();
    assert_eq!((packed.mime.as_str(), packed.bytes.as_slice()), ("text/css", b"body{}".as_slice()));
    let is_bare = |request: &String| {
        let request = request.to_ascii_lowercase();
        ["authorization", "cookie", "referer"].iter().all(|name| !request.contains(name))
    };
    assert!(server.asked().iter().all(is_bare));
}

// S-27
#[tokio::test]
async fn redirects_are_checked_hop_by_hop() {
    let server = Server::start().await;
    let refused = [
        ("/chain/20", FetchRefused::TooManyRedirects),
        ("/to-private", FetchRefused::NotPublic("169.254.169.254".to_owned())),
        ("/to-file", FetchRefused::Scheme("file".to_owned())),
        ("/to-data", FetchRefused::Scheme("data".to_owned())),
        ("/to-ftp", FetchRefused::Scheme("ftp".to_owned())),
    ];
    for (path, expected) in refused {
        assert_eq!(refusal(&server, path).await, expected, "{path}");
    }
}

// S-27
#[tokio::test]
async fn the_connection_goes_to_the_address_that_was_checked_and_a_name_that_turns_is_refused() {
    let server = Server::start().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let answers = vec![Ipv4Addr::LOCALHOST.into(), Ipv4Addr::new(127, 0, 0, 2).into()];
    let turning = Answers { answers, asked: Arc::clone(&asked) };
    let client = GuardedClient::through(OnlyTheServer, turning).limited(limits());
    let address = format!("http://pictures.example:{}/png", server.port);
    assert_eq!(client.fetch_picture(&address).await.unwrap().bytes, PNG);
    // Asked once: nothing between the check and the connection could answer differently.
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let refused = client.fetch_picture(&address).await;
    assert_eq!(refused, Err(FetchRefused::NotPublic("pictures.example".to_owned())));
    assert_eq!((asked.load(Ordering::SeqCst), server.asked().len()), (2, 1));
}

// S-27
#[tokio::test]
async fn a_name_that_turns_between_two_hops_is_refused_at_the_second() {
    let server = Server::start().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let answers = vec![Ipv4Addr::LOCALHOST.into(), Ipv4Addr::new(127, 0, 0, 2).into()];
    let client = GuardedClient::through(OnlyTheServer, Answers { answers, asked: Arc::clone(&asked) });
    let address = format!("http://pictures.example:{}/to-png", server.port);
    let refused = client.limited(limits()).fetch_picture(&address).await;
    assert_eq!(refused, Err(FetchRefused::NotPublic("pictures.example".to_owned())));
    assert_eq!((asked.load(Ordering::SeqCst), server.asked().len()), (2, 1));
}

// S-26
#[tokio::test]
async fn a_public_name_with_a_private_address_is_never_connected_to() {
    let server = Server::start().await;
    for address in
        ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1", "2002:7f00:1::"]
    {
        let names = Answers { answers: vec![address.parse().unwrap()], asked: Arc::default() };
        let client = GuardedClient::through(PublicInternet, names).limited(limits());
        let refused = client.fetch(&format!("http://pictures.example:{}/png", server.port)).await;
        assert_eq!(refused, Err(FetchRefused::NotPublic("pictures.example".to_owned())), "{address}");
    }
    let direct = GuardedClient::default().fetch(&format!("{}/png", server.address)).await;
    assert_eq!(direct, Err(FetchRefused::NotPublic("127.0.0.1".to_owned())));
    assert_eq!(server.asked(), Vec::<String>::new());
}

// S-28
#[tokio::test]
async fn bodies_are_capped_in_size_unpacked_size_and_type() {
    let server = Server::start().await;
    let too_large = FetchRefused::TooLarge { most_bytes: 256 * 1024 };
    let wrong = |found: &str, wanted| FetchRefused::WrongType { found: found.to_owned(), wanted };
    let refused = [
        ("/huge", too_large.clone()),
        ("/endless", too_large.clone()),
        ("/page", wrong("text/html", "a picture")),
        ("/lie", wrong("image/png", "a PNG, JPEG, WebP or GIF")),
        ("/missing", FetchRefused::Status(404)),
    ];
    for (path, expected) in refused {
        assert_eq!(refusal(&server, path).await, expected, "{path}");
    }
    assert!(matches!(refusal(&server, "/short").await, FetchRefused::Broken(_)));
    let fetched = |path, limits| {
        let (client, address) = (client().limited(limits), format!("{}{path}", server.address));
        async move { client.fetch(&address).await.unwrap_err() }
    };
    assert_eq!(fetched("/bomb", limits()).await, too_large);
    let roomy = FetchLimits { max_bytes: 64 << 20, ..limits() };
    assert_eq!(fetched("/bomb", roomy).await, FetchRefused::Bomb);
    assert_eq!(fetched("/brotli", limits()).await, FetchRefused::Packing("br".to_owned()));
}

// S-28
#[tokio::test]
async fn a_server_that_drips_or_falls_silent_is_given_up() {
    let server = Server::start().await;
    let impatient = FetchLimits { idle_timeout: Duration::from_millis(50), ..limits() };
    let hurried = FetchLimits { total_timeout: Duration::from_millis(100), ..limits() };
    for (path, limits) in [("/silent", impatient), ("/drip", hurried)] {
        let refused = client().limited(limits).fetch_picture(&format!("{}{path}", server.address)).await;
        assert_eq!(refused, Err(FetchRefused::TooSlow), "{path}");
    }
}
