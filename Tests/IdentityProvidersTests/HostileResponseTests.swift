import Identity
import ProcessHarness
import Testing

@testable import GuardedHTTP
@testable import IdentityProviders

@Suite("A provider's response with text that is expensive to normalize")
struct HostileResponseTests {
    @Test(
        "costs no more than its length, for any place of the text",
        arguments: [
            #"{"keys":[{"kty":"~"}]}"#, #"{"keys":[{"kty":"EC","crv":"~"}]}"#, #"{"keys":[{"kty":"RSA","use":"~"}]}"#,
            #"{"keys":[{"kty":"RSA","alg":"~"}]}"#, #"{"keys":[{"kty":"RSA","key_ops":["~"]}]}"#,
            #"{"keys":[{"kid":"~"}]}"#,
            #"{"keys":[{"~":1}]}"#, #"{"~":[]}"#, #"{"keys":"~"}"#, #"{"error":"~"}"#,
            #"{"error":"invalid_grant","error_description":"~"}"#, #"{"id_token":"~"}"#, #"{"~":"~"}"#, "~",
            #"{"access_token":"~"}"#, #"{"access_token":"a","token_type":"~"}"#, #"{"allow":false,"reason":"~"}"#,
        ]
    )
    func bodies(_ shape: String) {
        let parts = shape.split(separator: "~", omittingEmptySubsequences: false)
        #expect(
            HostileText.isLinear(bytes: 32_768) { text in
                let body = Array(parts.joined(separator: text).utf8)
                _ = JWKSet(body)
                for status in [200, 400, 401] {
                    let response = GuardedResponse(status: status, body: body)
                    _ = (TokenResponse(response), AccessTokenResponse(response), AccessDecision(response))
                }
            }
        )
    }
}
