//! Addresses that somebody else's computer can load.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// An `https` address of a public host. A vendor's servers load it, so one of this machine or of the local
/// network means nothing to them and could only give something away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(Url);

/// Why an address is not public.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{address} is no public address: {why}; send the picture itself")]
pub struct UrlRefused {
    address: String,
    why: &'static str,
}

impl PublicUrl {
    /// Reads an address.
    pub fn parse(address: &str) -> Result<Self, UrlRefused> {
        let refused = |why| UrlRefused { address: address.chars().take(80).collect(), why };
        let url = Url::parse(address).map_err(|_| refused("it cannot be read"))?;
        if url.scheme() != "https" {
            return Err(refused("it does not begin with https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("it holds a name or a password"));
        }
        let is_public = match url.host() {
            Some(Host::Domain(name)) => is_public_name(name),
            Some(Host::Ipv4(address)) => is_public_v4(address),
            Some(Host::Ipv6(address)) => is_public_v6(address),
            None => false,
        };
        if is_public { Ok(Self(url)) } else { Err(refused("its host is not on the public internet")) }
    }

    /// The address as it is sent.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

fn is_public_name(name: &str) -> bool {
    const LOCAL: [&str; 8] =
        ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa"];
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_below =
        |zone: &str| name.strip_suffix(zone).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    name.contains('.') && !LOCAL.iter().any(|zone| is_below(zone)) && name.parse::<IpAddr>().is_err()
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_special = a == 0 || a >= 240 || (a == 192 && b == 0 && c == 0) || (a == 198 && (b & 0xFE) == 18);
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || is_shared
        || is_special)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Only 2000::/3 is given out, and parts of it carry IPv4 addresses (6to4, Teredo) or stand in books.
    let is_given_out = first & 0xE000 == 0x2000;
    let is_special = first == 0x2002 || (first == 0x2001 && (second < 0x200 || second == 0x0DB8));
    is_given_out && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_public_hosts_are_taken() {
        for address in
            ["https://cdn.example.com/a.png?x=1", "https://8.8.8.8/a", "https://[2606:4700::1111]/"]
        {
            assert_eq!(PublicUrl::parse(address).unwrap().as_str(), address);
        }
    }

    #[test]
    fn addresses_of_this_machine_and_its_network_cannot_be_built() {
        let hosts = [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "printer",
            "nas.local",
            "db.internal",
            "router.home.arpa",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "10.0.0.1",
            "172.16.9.9",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "198.18.0.1",
            "192.0.2.1",
            "[::1]",
            "[::]",
            "[fc00::1]",
            "[fe80::1]",
            "[::ffff:127.0.0.1]",
            "[2002:7f00:1::]",
            "[64:ff9b::7f00:1]",
            "[2001:db8::1]",
            "[2001::1]",
            "127.0.0.1.",
        ];
        let built: Vec<_> =
            hosts.iter().filter(|host| PublicUrl::parse(&format!("https://{host}/a.png")).is_ok()).collect();
        assert_eq!(built, Vec::<&&str>::new());
    }

    #[test]
    fn other_schemes_and_hidden_names_are_refused() {
        for address in [
            "http://example.com/a",
            "file:///etc/passwd",
            "data:image/png;base64,AA",
            "https://a:b@example.com/",
            "x",
        ] {
            assert!(PublicUrl::parse(address).is_err(), "{address}");
        }
    }
}
