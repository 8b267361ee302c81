//! Base addresses, however they were spelt.

use reqwest::Url;

use super::Family;

/// The address all paths of an API hang from: no trailing slash, no key, no method's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseAddress {
    url: Url,
    /// The parameters every request carries.
    query: Option<String>,
}

/// Why an address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefused {
    /// Not an address at all.
    #[error("{0} is not a web address; write it like http://localhost:11434/v1")]
    NoAddress(String),
    /// Something else than HTTP.
    #[error("an endpoint's address begins with http:// or https://, not {0}://")]
    Scheme(String),
    /// User and password in the address.
    #[error("the address holds a user name or password; take it out and use the key field")]
    Credentials,
    /// A key in the address.
    #[error("the address holds a key in its query; take it out and use the key field")]
    KeyInQuery,
    /// A deployment or version that is no plain name.
    #[error("{0} is not a name of an Azure deployment or version")]
    AzureName(String),
}

/// What each family's methods hang behind the base.
fn method_paths(family: Family) -> &'static [&'static str] {
    match family {
        Family::OpenAiResponses => &["/responses", "/models"],
        Family::Anthropic => &["/v1/messages", "/v1/models", "/v1"],
        Family::Gemini => &["/models"],
        Family::OpenAiChat => &["/chat/completions", "/completions", "/models"],
    }
}

/// What an address without a path means.
fn usual_path(family: Family) -> &'static str {
    match family {
        Family::OpenAiResponses | Family::OpenAiChat => "/v1",
        Family::Anthropic => "",
        Family::Gemini => "/v1beta",
    }
}

impl BaseAddress {
    /// Reads an address: with or without scheme, version, trailing slash or a method's path.
    pub fn parse(family: Family, spelt: &str) -> Result<Self, AddressRefused> {
        let mut url = read_url(spelt)?;
        let azure = azure_query(&url)?;
        let mut path = url.path().trim_end_matches('/').to_owned();
        if let Some(rest) = method_paths(family).iter().find_map(|method| path.strip_suffix(method)) {
            path = rest.trim_end_matches('/').to_owned();
        }
        if path.is_empty() {
            path = usual_path(family).to_owned();
        }
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        Ok(Self { url, query: azure })
    }

    /// The address of a deployment at Azure.
    pub(super) fn azure(resource: &str, deployment: &str, version: &str) -> Result<Self, AddressRefused> {
        for name in [deployment, version] {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(AddressRefused::AzureName(name.to_owned()));
            }
        }
        let mut url = read_url(resource)?;
        url.set_path(&format!("/openai/deployments/{deployment}"));
        url.set_query(None);
        url.set_fragment(None);
        Ok(Self { url, query: Some(format!("api-version={version}")) })
    }

    /// The address of a method; `path` begins with a slash and may have a query.
    pub fn join(&self, path: &str) -> Result<Url, AddressRefused> {
        let base = self.url.as_str().trim_end_matches('/');
        let address = match &self.query {
            Some(query) => format!("{base}{path}{}{query}", if path.contains('?') { '&' } else { '?' }),
            None => format!("{base}{path}"),
        };
        Url::parse(&address).map_err(|_| AddressRefused::NoAddress(address))
    }

    /// The host.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Host and port, as a person names a server.
    pub fn host_and_port(&self) -> String {
        match self.url.port() {
            Some(port) => format!("{}:{port}", self.host()),
            None => self.host().to_owned(),
        }
    }

    /// Whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(self.host())
    }
}

impl std::fmt::Display for BaseAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.url.as_str().trim_end_matches('/'))?;
        self.query.iter().try_for_each(|query| write!(f, "?{query}"))
    }
}

fn read_url(spelt: &str) -> Result<Url, AddressRefused> {
    let spelt = spelt.trim();
    let refused = || AddressRefused::NoAddress(if spelt.is_empty() { "nothing" } else { spelt }.to_owned());
    let address = if spelt.contains("://") {
        spelt.to_owned()
    } else {
        let host = spelt.split(['/', '?']).next().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        // A name without a dot, and an address in numbers, is a machine nearby that has no certificate.
        let is_near =
            !name.contains('.') || name.parse::<std::net::IpAddr>().is_ok() || name.ends_with(".local");
        format!("{}://{spelt}", if is_near { "http" } else { "https" })
    };
    let url = Url::parse(&address).map_err(|_| refused())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressRefused::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressRefused::Credentials);
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(refused());
    }
    Ok(url)
}

/// The one query parameter that belongs to an address.
fn azure_query(url: &Url) -> Result<Option<String>, AddressRefused> {
    let mut query = None;
    for (name, value) in url.query_pairs() {
        match &*name {
            "api-version" => query = Some(format!("api-version={value}")),
            "key" | "api_key" | "api-key" | "apikey" | "token" => return Err(AddressRefused::KeyInQuery),
            _ => {}
        }
    }
    Ok(query)
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(family: Family, address: &str) -> String {
        BaseAddress::parse(family, address).map_or_else(|error| error.to_string(), |base| base.to_string())
    }

    #[test]
    fn every_spelling_of_a_local_server_is_one_address() {
        let spellings = [
            "localhost:11434",
            "http://localhost:11434",
            "http://localhost:11434/",
            "http://localhost:11434/v1",
            " http://localhost:11434/v1/ ",
            "http://localhost:11434/v1/chat/completions",
            "http://localhost:11434/v1/models",
        ];
        for spelling in spellings {
            assert_eq!(spelt(Family::OpenAiChat, spelling), "http://localhost:11434/v1", "{spelling}");
        }
    }

    #[test]
    fn every_family_has_its_own_path() {
        let cases = [
            (Family::OpenAiResponses, "api.openai.com", "https://api.openai.com/v1"),
            (Family::OpenAiResponses, "https://api.openai.com/v1/responses", "https://api.openai.com/v1"),
            (Family::Anthropic, "https://api.anthropic.com/v1/messages", "https://api.anthropic.com"),
            (Family::Anthropic, "https://api.anthropic.com/v1/", "https://api.anthropic.com"),
            (Family::Anthropic, "proxy.test/anthropic", "https://proxy.test/anthropic"),
            (
                Family::Gemini,
                "https://generativelanguage.googleapis.com/",
                "https://generativelanguage.googleapis.com/v1beta",
            ),
            (Family::Gemini, "https://g.test/v1/models", "https://g.test/v1"),
            (Family::OpenAiChat, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
            (Family::OpenAiChat, "192.168.1.5:8080", "http://192.168.1.5:8080/v1"),
            (Family::OpenAiChat, "[::1]:8080", "http://[::1]:8080/v1"),
            (
                Family::OpenAiChat,
                "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2026-01-01",
                "https://r.openai.azure.com/openai/deployments/d?api-version=2026-01-01",
            ),
        ];
        for (family, address, expected) in cases {
            assert_eq!(spelt(family, address), expected);
        }
    }

    #[test]
    fn a_query_stays_behind_the_methods_path() {
        let base = BaseAddress::azure("https://r.openai.azure.com", "d-1", "2026-01-01").unwrap();
        assert_eq!(
            base.join("/chat/completions").unwrap().as_str(),
            "https://r.openai.azure.com/openai/deployments/d-1/chat/completions?api-version=2026-01-01"
        );
        assert!(BaseAddress::azure("https://r.test", "../x", "1").is_err());
    }

    #[test]
    fn what_is_no_address_is_refused_by_name() {
        let refused = |address| BaseAddress::parse(Family::OpenAiChat, address).unwrap_err();
        assert_eq!(refused(""), AddressRefused::NoAddress("nothing".to_owned()));
        assert_eq!(refused("ftp://host"), AddressRefused::Scheme("ftp".to_owned()));
        assert_eq!(refused("https://me:secret@host.test"), AddressRefused::Credentials);
        assert_eq!(refused("https://host.test/v1?key=abc"), AddressRefused::KeyInQuery);
        assert_eq!(refused("http://"), AddressRefused::NoAddress("http://".to_owned()));
    }

    #[test]
    fn this_machine_is_recognised() {
        let is = |address| BaseAddress::parse(Family::OpenAiChat, address).unwrap().is_loopback();
        assert_eq!(
            [is("localhost:1"), is("127.0.0.1:1"), is("[::1]:1"), is("localhost.evil.test")],
            [true, true, true, false]
        );
    }
}
