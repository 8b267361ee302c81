use super::*;

fn rejected(family: Family, status: u16, body: &str) -> Rejection {
    Rejection::from_answer(family, status, body, AnswerFacts::default())
}

fn verdict(family: Family, status: u16, body: &str) -> (ErrorKind, bool) {
    let rejection = rejected(family, status, body);
    (rejection.kind, rejection.is_retryable)
}

#[test]
fn openais_errors_are_told_apart() {
    let body = |kind: &str, code: &str| {
        format!(r#"{{"error":{{"message":"m","type":"{kind}","code":"{code}","param":null}}}}"#)
    };
    let of = |status, kind, code| verdict(Family::OpenAiResponses, status, &body(kind, code));
    assert_eq!(of(401, "invalid_request_error", "invalid_api_key"), (ErrorKind::BadKey, false));
    assert_eq!(of(403, "x", "unsupported_country_region_territory"), (ErrorKind::NoAccess, false));
    assert_eq!(of(404, "invalid_request_error", "model_not_found"), (ErrorKind::NoModel, false));
    assert_eq!(of(400, "invalid_request_error", "model_not_found"), (ErrorKind::NoModel, false));
    assert_eq!(of(400, "invalid_request_error", "context_length_exceeded"), (ErrorKind::TooLong, false));
    assert_eq!(of(400, "invalid_request_error", "invalid_image_format"), (ErrorKind::BadImage, false));
    assert_eq!(of(400, "invalid_request_error", "unsupported_parameter"), (ErrorKind::BadRequest, false));
    assert_eq!(of(429, "insufficient_quota", "insufficient_quota"), (ErrorKind::NoCredit, false));
    assert_eq!(of(429, "tokens", "rate_limit_exceeded"), (ErrorKind::RateLimit, true));
    assert_eq!(of(503, "server_error", "server_is_overloaded"), (ErrorKind::Overloaded, true));
    assert_eq!(of(500, "server_error", ""), (ErrorKind::Unknown, true));
}

#[test]
fn anthropics_errors_are_told_apart() {
    let body = |kind: &str, message: &str| {
        format!(
            r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#
        )
    };
    let of = |status, kind, message| verdict(Family::Anthropic, status, &body(kind, message));
    assert_eq!(of(401, "authentication_error", "m"), (ErrorKind::BadKey, false));
    assert_eq!(of(402, "billing_error", "m"), (ErrorKind::NoCredit, false));
    assert_eq!(
        of(400, "invalid_request_error", "Your credit balance is too low"),
        (ErrorKind::NoCredit, false)
    );
    assert_eq!(of(403, "permission_error", "m"), (ErrorKind::NoAccess, false));
    assert_eq!(of(404, "not_found_error", "model: x"), (ErrorKind::NoModel, false));
    assert_eq!(of(413, "request_too_large", "m"), (ErrorKind::TooLong, false));
    assert_eq!(of(400, "invalid_request_error", "prompt is too long: 1 > 0"), (ErrorKind::TooLong, false));
    assert_eq!(
        of(400, "invalid_request_error", "messages.0.content.1.image.source: too big"),
        (ErrorKind::BadImage, false)
    );
    assert_eq!(of(529, "overloaded_error", "m"), (ErrorKind::Overloaded, true));
    assert_eq!(of(500, "api_error", "m"), (ErrorKind::Unknown, true));
    assert_eq!(of(429, "rate_limit_error", "the month is used up"), (ErrorKind::RateLimit, false));
    let waits =
        AnswerFacts { hint: Hint { wait_ms: Some(1000), should_retry: None }, ..AnswerFacts::default() };
    let limited = Rejection::from_answer(Family::Anthropic, 429, &body("rate_limit_error", "m"), waits);
    assert_eq!((limited.is_retryable, limited.retry_after_ms), (true, Some(1000)));
    assert_eq!(limited.request_id.as_deref(), Some("req_1"));
}

#[test]
fn geminis_bad_key_is_a_400_and_its_quota_has_two_kinds() {
    let body = |code: u16, status: &str, details: &str| {
        format!(r#"{{"error":{{"code":{code},"message":"m","status":"{status}","details":[{details}]}}}}"#)
    };
    let of = |code, status, details| verdict(Family::Gemini, code, &body(code, status, details));
    assert_eq!(of(400, "INVALID_ARGUMENT", r#"{"reason":"API_KEY_INVALID"}"#), (ErrorKind::BadKey, false));
    assert_eq!(of(400, "INVALID_ARGUMENT", ""), (ErrorKind::BadRequest, false));
    assert_eq!(of(400, "FAILED_PRECONDITION", ""), (ErrorKind::NoAccess, false));
    assert_eq!(of(403, "PERMISSION_DENIED", ""), (ErrorKind::NoAccess, false));
    assert_eq!(of(404, "NOT_FOUND", ""), (ErrorKind::NoModel, false));
    assert_eq!(
        of(429, "RESOURCE_EXHAUSTED", r#"{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}"#),
        (ErrorKind::NoCredit, false)
    );
    assert_eq!(of(503, "UNAVAILABLE", ""), (ErrorKind::Overloaded, true));
    assert_eq!(of(504, "DEADLINE_EXCEEDED", ""), (ErrorKind::Unknown, true));
    let limited = format!("[{}]", body(429, "RESOURCE_EXHAUSTED", r#"{"retryDelay":"12s"}"#));
    let limited = rejected(Family::Gemini, 429, &limited);
    assert_eq!(
        (limited.kind, limited.is_retryable, limited.retry_after_ms),
        (ErrorKind::RateLimit, true, Some(12_000))
    );
}

#[test]
fn other_servers_errors_are_told_apart() {
    let of = |status, body| verdict(Family::OpenAiChat, status, body);
    assert_eq!(of(402, r#"{"error":{"code":402,"message":"m"}}"#), (ErrorKind::NoCredit, false));
    assert_eq!(of(404, r#"{"error":{"message":"model 'x' not found"}}"#), (ErrorKind::NoModel, false));
    assert_eq!(of(400, r#"{"error":"model x not found"}"#), (ErrorKind::NoModel, false));
    assert_eq!(of(404, "<html><title>Not here</title></html>"), (ErrorKind::BadRequest, false));
    assert_eq!(of(502, "Bad gateway"), (ErrorKind::Overloaded, true));
    assert_eq!(of(503, r#"{"error":{"message":"Loading model"}}"#), (ErrorKind::Overloaded, true));
    assert_eq!(of(422, r#"{"detail":"x"}"#), (ErrorKind::BadRequest, false));
    assert_eq!(of(500, ""), (ErrorKind::Unknown, true));
    assert_eq!(
        of(403, r#"{"error":{"code":403,"message":"m","metadata":{"flagged_input":"x"}}}"#),
        (ErrorKind::Blocked, false)
    );
}

#[test]
fn a_person_is_told_who_what_which_request_and_what_next() {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-proj-ABCDEFGH.","type":"x","code":"invalid_api_key"}}"#;
    let facts = AnswerFacts { request_id: Some("req_9".to_owned()), hint: Hint::default() };
    let rejection = Rejection::from_answer(Family::OpenAiResponses, 401, body, facts);
    let told = rejection.masked(&Mask::of("sk-proj-ABCDEFGH")).told_by("OpenAI");
    assert_eq!(
        told.failure.message,
        "OpenAI did not accept the key: Incorrect API key provided: ••• (status 401, invalid_api_key, request req_9)"
    );
    assert_eq!(told.failure.next_step.as_deref(), Some("Check the key in Settings"));
    let empty = rejected(Family::OpenAiChat, 500, "").told_by("localhost:1");
    assert_eq!(empty.failure.message, "localhost:1 reported an error (status 500)");
}

#[test]
fn a_wait_that_is_too_long_is_told_instead_of_waited_for() {
    let hint = Hint { wait_ms: Some(600_000), should_retry: None };
    let facts = AnswerFacts { request_id: None, hint };
    let told = Rejection::from_answer(Family::OpenAiChat, 429, "{}", facts).told_by("x");
    assert_eq!((told.retryable, told.failure.next_step.as_deref()), (false, Some("Try again in 10 minutes")));
}

#[test]
fn the_server_may_say_itself_whether_to_try_again() {
    let facts =
        |verdict| AnswerFacts { request_id: None, hint: Hint { wait_ms: None, should_retry: Some(verdict) } };
    let is_retryable = |status, verdict| {
        Rejection::from_answer(Family::OpenAiResponses, status, "{}", facts(verdict)).is_retryable
    };
    assert_eq!([is_retryable(500, false), is_retryable(400, true)], [false, true]);
}

#[test]
fn refusals_that_only_words_tell_apart_have_a_next_step_of_their_own() {
    let next = |words: &str| {
        let body = format!(r#"{{"error":{{"message":"{words}"}}}}"#);
        rejected(Family::OpenAiChat, 400, &body).told_by("x").failure.next_step.unwrap()
    };
    assert_eq!(next("library/llava does not support tools"), "Choose a model that takes tools");
    assert!(next("messages.1.content.0: Invalid `signature` in `thinking` block").starts_with("Start a new"));
    assert!(next("needs --enable-auto-tool-choice and --tool-call-parser to be set").contains("Start vLLM"));
}
