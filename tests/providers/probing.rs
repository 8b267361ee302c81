//! Testing an endpoint before it is used.

use facsimile_agent::ErrorKind;
use facsimile_providers::{Connector, Endpoint, Found, Secret};
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};

use crate::support::family_of;

async fn probe(
    dialect: Spoken,
    answers: Vec<Served>,
    model: Option<&str>,
) -> (Result<Found, ErrorKind>, ReplayServer) {
    let server = ReplayServer::playing(dialect, answers).await.unwrap();
    let endpoint = Endpoint::custom(family_of(dialect), server.address()).unwrap();
    let found = Connector::new().test(&endpoint, Secret::new(KEY).as_ref(), model).await;
    (found.map_err(|error| error.kind()), server)
}

fn ids(found: Result<Found, ErrorKind>) -> Vec<String> {
    match found {
        Ok(Found::Models(models)) => models.into_iter().map(|model| model.id).collect(),
        other => panic!("no list: {other:?}"),
    }
}

#[tokio::test]
async fn every_vendor_is_asked_for_its_list_in_its_own_way() {
    let cases = [
        (Spoken::OpenAiResponses, r#"{"data":[{"id":"m"}]}"#, "/v1/models"),
        (Spoken::Anthropic, r#"{"data":[{"id":"m","display_name":"M"}]}"#, "/v1/models?limit=1000"),
        (Spoken::Gemini, r#"{"models":[{"name":"models/m"}]}"#, "/v1beta/models?pageSize=1000"),
        (Spoken::OpenAiChat, r#"{"object":"list","data":[{"id":"m"}]}"#, "/v1/models"),
    ];
    for (dialect, body, path) in cases {
        let (found, server) = probe(dialect, vec![Served::status(200, body)], None).await;
        assert_eq!(ids(found), ["m"]);
        assert_eq!((server.asked()[0].path.as_str(), server.complaints().len()), (path, 0));
    }
}

#[tokio::test]
async fn a_bad_key_is_told_for_every_vendor() {
    let cases = [
        (Spoken::OpenAiResponses, 401, r#"{"error":{"message":"no","code":"invalid_api_key"}}"#),
        (Spoken::Anthropic, 401, r#"{"error":{"type":"authentication_error","message":"no"}}"#),
        (
            Spoken::Gemini,
            400,
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
        ),
        (Spoken::OpenAiChat, 401, "Unauthorized"),
    ];
    for (dialect, status, body) in cases {
        let (found, _) = probe(dialect, vec![Served::status(status, body)], None).await;
        assert_eq!(found, Err(ErrorKind::BadKey), "{dialect:?}");
    }
}

#[tokio::test]
async fn a_key_that_may_not_read_the_list_can_still_be_good() {
    let refused = Served::status(403, r#"{"error":{"message":"Missing scopes: api.model.read"}}"#);
    assert_eq!(probe(Spoken::OpenAiResponses, vec![refused], None).await.0, Ok(Found::ListRefused));
}

#[tokio::test]
async fn where_there_is_no_list_a_model_is_asked_for_a_word() {
    for dialect in Spoken::ALL {
        let missing = || Served::status(404, "404 page not found");
        let answers = vec![missing(), ServedTurn::new().saying("OK").into()];
        let (found, server) = probe(dialect, answers, Some("m")).await;
        assert_eq!((found, server.complaints().len()), (Ok(Found::Reply), 0), "{dialect:?}");
        assert_eq!(probe(dialect, vec![missing()], None).await.0, Ok(Found::NoList), "{dialect:?}");
    }
}

#[tokio::test]
async fn a_model_that_is_not_there_is_told_as_such() {
    let no_model =
        Served::status(404, r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#);
    let answers = vec![Served::status(404, "nothing"), no_model];
    assert_eq!(probe(Spoken::OpenAiChat, answers, Some("x")).await.0, Err(ErrorKind::NoModel));
}
