//! Where the image services are.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use facsimile_agent::Failure;
use facsimile_providers::guarded::{AddressGate, PublicInternet, SystemNames};
use facsimile_providers::media::{Pace, PictureMaker, PictureModel, PictureVendor};
use facsimile_providers::{Connector, GuardedClient, Secret};

/// A picture is given up before its task is taken for stalled, so that the others of the task are kept.
const PICTURE_TOTAL: Duration = Duration::from_secs(170);
/// Puts an image service on this machine, for tests of the whole program: `replicate=http://127.0.0.1:8123`.
pub const SERVICE_VARIABLE: &str = "FACSIMILE_IMAGE_SERVICE";

/// What the variable says makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{SERVICE_VARIABLE} is {0:?}; write replicate, openai or gemini, then = and an address of this machine such as \
     http://127.0.0.1:8123, or leave it unset"
)]
pub struct ServiceRefused(pub String);

/// Where the services are.
#[derive(Debug, Clone)]
pub struct Services {
    fetch: GuardedClient,
    pace: Pace,
    addresses: HashMap<PictureVendor, String>,
    /// Tools wait no longer than this for what they order.
    longest_wait: Duration,
}

impl Default for Services {
    fn default() -> Self {
        let pace = Pace { total: PICTURE_TOTAL, ..Pace::default() };
        Self { fetch: GuardedClient::default(), pace, addresses: HashMap::new(), longest_wait: Duration::MAX }
    }
}

impl Services {
    /// The services as they are for everybody, unless the variable names one on this machine. Its pictures may then be
    /// fetched from the address of this machine that the variable names, and from no other that is not public.
    pub fn named_by(variable: Option<&str>) -> Result<Self, ServiceRefused> {
        let Some(named) = variable.filter(|named| !named.is_empty()) else { return Ok(Self::default()) };
        let refused = || ServiceRefused(named.to_owned());
        let (vendor, address) = named.split_once('=').ok_or_else(refused)?;
        let vendor = match vendor {
            "replicate" => PictureVendor::Replicate,
            "openai" => PictureVendor::OpenAi,
            "gemini" => PictureVendor::Gemini,
            _ => return Err(refused()),
        };
        let host = loopback_host(address).ok_or_else(refused)?;
        let services = Self::default();
        let pace = services.pace;
        let fetch = GuardedClient::through(PublicAnd(host), SystemNames);
        Ok(services.fetching(fetch, pace).at(vendor, address))
    }

    /// The same with results fetched by this client and with these pauses.
    pub fn fetching(self, fetch: GuardedClient, pace: Pace) -> Self {
        Self { fetch, pace, ..self }
    }

    /// The same, for which no tool waits longer than this.
    pub fn waited_for(self, longest_wait: Duration) -> Self {
        Self { longest_wait, ..self }
    }

    pub(super) fn longest_wait(&self) -> Duration {
        self.longest_wait
    }

    /// The same with a vendor at another address.
    pub fn at(mut self, vendor: PictureVendor, address: impl Into<String>) -> Self {
        self.addresses.insert(vendor, address.into());
        self
    }

    /// A maker of pictures with a model.
    pub(super) fn maker(
        &self,
        connector: &Connector,
        model: PictureModel,
        key: &Secret,
    ) -> Result<PictureMaker, Failure> {
        let address = self.addresses.get(&model.vendor).map_or(model.vendor.base(), String::as_str);
        let maker = PictureMaker::at(connector, model, address, key, self.fetch.clone());
        Ok(maker.map_err(|error| error.failure)?.paced(self.pace))
    }
}

/// The host of a plain address on this machine: a number, so that no resolver has a say.
fn loopback_host(address: &str) -> Option<IpAddr> {
    let authority = address.strip_prefix("http://")?.split('/').next()?;
    let host = authority
        .parse()
        .map_or_else(|_| authority.parse().ok(), |socket: std::net::SocketAddr| Some(socket.ip()))?;
    host.is_loopback().then_some(host)
}

/// What everybody can reach, and one address more.
struct PublicAnd(IpAddr);

impl AddressGate for PublicAnd {
    fn admits(&self, address: IpAddr) -> bool {
        address == self.0 || PublicInternet.admits(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_put_on_this_machine_and_nowhere_else() {
        let named = |value: &str| Services::named_by(Some(value)).map(|services| services.addresses);
        let at = |vendor, address: &str| Ok(HashMap::from([(vendor, address.to_owned())]));
        assert_eq!(
            named("replicate=http://127.0.0.1:8123"),
            at(PictureVendor::Replicate, "http://127.0.0.1:8123")
        );
        assert_eq!(named("openai=http://[::1]:9/v1"), at(PictureVendor::OpenAi, "http://[::1]:9/v1"));
        assert_eq!(named(""), Ok(HashMap::new()));
        let refused = [
            "replicate",
            "replicate=",
            "replicate=127.0.0.1:8123",
            "replicate=https://127.0.0.1:8123",
            "replicate=http://example.com",
            "replicate=http://127.0.0.1.example.com",
            "replicate=http://localhost:8123",
            "replicate=http://192.168.0.7",
            "replicate=http://169.254.169.254/",
            "replicate=http://user@127.0.0.1",
            "somebody=http://127.0.0.1:8123",
        ];
        for value in refused {
            assert_eq!(named(value), Err(ServiceRefused(value.to_owned())));
        }
    }

    // S-26
    #[test]
    fn only_the_address_that_was_named_is_admitted_beside_the_public_ones() {
        let gate = PublicAnd(loopback_host("http://127.0.0.1:8123").unwrap());
        let admitted = ["127.0.0.1", "127.0.0.2", "::1", "10.0.0.1", "169.254.169.254", "1.1.1.1"]
            .map(|address| gate.admits(address.parse().unwrap()));
        assert_eq!(admitted, [true, false, false, false, false, true]);
    }
}
