/// The format of a route's error responses.
enum ErrorShape: Sendable {
    /// `application/problem+json`, as everywhere in the gateway's own API.
    case problem
    /// `{"error":{...}}`, as the wire adaptors have it (LimitsAndErrors page).
    case adaptor
    /// `{"success":false,...}`, as Bloomreach has it (ComingFromBloomreach page).
    case bloomreach
    /// `{"code":400,"message":...}`, as gorush has it (ComingFromGorush page).
    case gorush
    /// `{"time":...,"message":...,"internalCode":...}`, as LivePerson's monitoring API has it (ComingFromLivePerson page).
    case liveperson
    /// As ``bloomreach``, with the errors of members in an object by member: only for attributes.
    case bloomreachAttributes
    /// As ``adaptor``, with LivePerson's `code` and `message` beside it: only for its campaigns.
    case campaign
    /// A page of the console (Console page).
    case page
}
