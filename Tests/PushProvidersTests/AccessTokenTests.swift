import Testing

@testable import PushProviders

@Suite struct AccessTokenTests {
    @Test(
        "errors have clear texts",
        arguments: [
            (TokenFetchFailure.refused(endpoint: "h", code: "invalid_grant"), "clock of this host"),
            (.refused(endpoint: "h", code: "invalid_client"), "h rejected the service account (invalid_client)"),
            (.status(endpoint: "h:1", 503), "h:1 responded 503"),
            (.unreachable(endpoint: "h", "timeout"), "cannot reach the token endpoint h: timeout"),
        ] as [(TokenFetchFailure, String)]
    )
    func words(failure: TokenFetchFailure, text: String) {
        #expect("\(failure)".contains(text))
    }

    @Test(
        "the lifetime of a token is bounded",
        arguments: [("3599", 3599), ("\"120\"", 120), ("0", 1), ("-5", 1), ("99999999", 86_400), ("null", 3600)]
            as [(String, Int64)]
    )
    func lifetime(json: String, seconds: Int64) throws {
        let body = Array(#"{"access_token":"a","expires_in":\#(json)}"#.utf8)
        let grant = try TokenEndpoint.read(status: 200, body: body, name: "h").get()
        #expect(grant.accessToken == "a")
        #expect(grant.expiresInSeconds == seconds)
    }
}
