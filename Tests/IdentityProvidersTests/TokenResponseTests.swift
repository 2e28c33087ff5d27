import Identity
import Testing

@testable import GuardedHTTP
@testable import IdentityProviders

@Suite("A token endpoint's error response")
struct TokenResponseTests {
    @Test(
        "is one of the fixed reasons",
        arguments: [
            ("invalid_grant", "PKCE verification failed", TokenInvalidReason.pkceMismatch),
            ("invalid_grant", "The Code_Verifier does not match", .pkceMismatch),
            ("invalid_grant", "bad code challenge", .pkceMismatch),
            ("invalid_request", "code_verifier is required", .pkceMismatch),
            ("invalid_grant", "redirect_uri mismatch", .redirectMismatch),
            ("invalid_grant", "Wrong Redirect URI", .redirectMismatch),
            ("invalid_code", "", .revoked), ("invalid_grant", "", .revoked),
            ("invalid_grant", "Code expired", .revoked),
            (
                "invalid_grant",
                "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used",
                .revoked
            ),
        ]
    )
    func rejections(error: String, description: String, reason: TokenInvalidReason) {
        for status in [400, 401] {
            let body = #"{"error":"\#(error)","error_description":"\#(description)"}"#
            let response = GuardedResponse(status: status, body: Array(body.utf8))
            #expect(TokenResponse(response) == .refused(reason))
        }
    }

    @Test("needs no description, and ignores one that is not a string")
    func withoutDescription() {
        for body in [#"{"error":"invalid_grant"}"#, #"{"error":"invalid_grant","error_description":7}"#] {
            let response = GuardedResponse(status: 400, body: Array(body.utf8))
            #expect(TokenResponse(response) == .refused(.revoked))
        }
    }
}
