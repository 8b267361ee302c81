//! Which addresses are on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;
use url::Host;

use super::FetchRefused;

/// Says which addresses may be connected to. The program's own is [`PublicInternet`].
///
/// An implementor promises that an admitted address can do no harm when a stranger chooses it.
pub trait AddressGate: Send + Sync + 'static {
    /// Whether a connection to this address may be opened.
    fn admits(&self, address: IpAddr) -> bool;
}

/// Only what everybody can reach: nothing on this machine, in its network or in its data centre.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PublicInternet;

impl AddressGate for PublicInternet {
    fn admits(&self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => is_public_v4(address),
            IpAddr::V6(address) => is_public_v6(address),
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_carrier_grade = a == 100 && (64..128).contains(&b);
    let is_protocol = (a, b, c) == (192, 0, 0) || (a, b, c) == (192, 88, 99);
    let is_benchmark = a == 198 && (b & 0xfe) == 18;
    !(a == 0
        || a >= 240
        || is_carrier_grade
        || is_protocol
        || is_benchmark
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

/// Only global unicast without its special parts. What wraps a version 4 address (mapped, compatible, 6to4,
/// Teredo, NAT64) is refused as a whole: nobody offers a picture there.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_protocol = a == 0x2001 && b < 0x0200;
    let is_documentation = (a == 0x2001 && b == 0x0db8) || (a == 0x3fff && b < 0x1000);
    let is_six_to_four = a == 0x2002;
    (a & 0xe000) == 0x2000 && !is_protocol && !is_documentation && !is_six_to_four
}

/// Names that never lead to the public internet, whatever a resolver says.
const PRIVATE_NAMES: [&str; 7] = ["localhost", "local", "internal", "lan", "home.arpa", "test", "onion"];

/// Reads an address that may be fetched as far as its spelling tells.
pub(super) fn read_address(spelt: &str) -> Result<Url, FetchRefused> {
    let url = Url::parse(spelt.trim()).map_err(|_| FetchRefused::NoAddress)?;
    check_spelling(&url)?;
    Ok(url)
}

fn check_spelling(url: &Url) -> Result<(), FetchRefused> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchRefused::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchRefused::Credentials);
    }
    if url.port() == Some(0) {
        return Err(FetchRefused::NoAddress);
    }
    Ok(())
}

/// Refuses a host whose spelling alone shows that it is not public.
pub(super) fn check_host(url: &Url, gate: &dyn AddressGate) -> Result<(), FetchRefused> {
    let refused = || FetchRefused::NotPublic(url.host_str().unwrap_or_default().to_owned());
    let literal = match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let is_private = |zone: &str| name == zone || name.ends_with(&format!(".{zone}"));
            return match name.is_empty() || PRIVATE_NAMES.iter().any(|zone| is_private(zone)) {
                true => Err(refused()),
                false => Ok(()),
            };
        }
        None => return Err(FetchRefused::NoAddress),
    };
    if gate.admits(literal) { Ok(()) } else { Err(refused()) }
}

/// Where a redirect leads, if it may be followed.
pub(super) fn next_hop(from: &Url, location: &str) -> Result<Url, FetchRefused> {
    let target = from.join(location).map_err(|_| FetchRefused::NoAddress)?;
    check_spelling(&target)?;
    if from.scheme() == "https" && target.scheme() == "http" {
        return Err(FetchRefused::DroppedTls);
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(spelt: &str) -> Option<FetchRefused> {
        read_address(spelt).and_then(|url| check_host(&url, &PublicInternet)).err()
    }

    // S-26
    #[test]
    fn no_spelling_of_a_private_address_is_let_through() {
        let addresses = [
            "http://127.0.0.1/",
            "http://127.9.9.9/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://0.0.0.0/",
            "http://10.0.0.1/",
            "http://172.16.0.1/",
            "http://172.31.255.255/",
            "http://192.168.1.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://169.254.1.1/",
            "http://100.64.0.1/",
            "http://100.127.255.254/",
            "http://192.0.0.1/",
            "http://192.0.2.1/",
            "http://192.88.99.1/",
            "http://198.18.0.1/",
            "http://198.51.100.1/",
            "http://203.0.113.1/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://240.0.0.1/",
            "http://[::1]/",
            "http://[::]/",
            "http://[fe80::1]/",
            "http://[fc00::1]/",
            "http://[fd12::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[2002:7f00:1::]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2001:0:1::]/",
            "http://[2001:db8::1]/",
            "http://[ff02::1]/",
            "http://[fd00:ec2::254]/",
            "http://2130706433/",
            "http://017700000001/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://127.1/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
            "http://0/",
            "http://①②⑦.0.0.1/",
            "http://ⓛocalhost/",
            "http://router.local/",
            "http://metadata.google.internal/",
            "http://nas.lan/",
            "http://LocalHost/",
            "http://xn--/",
            "http://user:pass@example.com/",
            "http://example.com@127.0.0.1/",
            "http://user@10.0.0.1/",
            "http://example.com:0/",
            "http://example.com:65536/",
            "http://",
            "http:///",
            "http://:80/",
            "http://./",
            "file:///etc/passwd",
            "data:image/png;base64,AA",
            "ftp://example.com/a.png",
            "javascript:alert(1)",
            "preview://page/",
            "//example.com/a.png",
            "example.com",
            "",
        ];
        let let_through: Vec<_> = addresses.into_iter().filter(|spelt| refusal(spelt).is_none()).collect();
        assert_eq!(let_through, Vec::<&str>::new());
    }

    #[test]
    fn public_addresses_are_let_through() {
        let addresses = [
            "https://example.com/a.png",
            "https://EXAMPLE.com./a",
            "http://example.com:8080/",
            "https://93.184.216.34/",
            "https://[2606:2800:220:1::1]/",
            "https://bücher.example/",
            "https://xn--bcher-kva.example/",
            "http://100.128.0.1/",
            "http://172.32.0.1/",
        ];
        let refused: Vec<_> =
            addresses.into_iter().filter_map(|spelt| Some((spelt, refusal(spelt)?))).collect();
        assert_eq!(refused, Vec::new());
    }

    // S-27
    #[test]
    fn a_redirect_may_not_leave_the_web_nor_its_encryption() {
        let from = Url::parse("https://example.com/a/b.png").unwrap();
        let next = |location| next_hop(&from, location).map(|url| url.to_string());
        assert_eq!(next("../c.png"), Ok("https://example.com/c.png".to_owned()));
        assert_eq!(next("//cdn.example.com/c"), Ok("https://cdn.example.com/c".to_owned()));
        assert_eq!(next("http://example.com/"), Err(FetchRefused::DroppedTls));
        for (location, scheme) in
            [("file:///etc/passwd", "file"), ("data:text/html,x", "data"), ("ftp://e.com/", "ftp")]
        {
            assert_eq!(next(location), Err(FetchRefused::Scheme(scheme.to_owned())));
        }
        assert_eq!(next("https://u:p@example.com/"), Err(FetchRefused::Credentials));
    }
}
