/// Why the token endpoint refuses (RFC 6749 section 5.2).
struct OAuthRefusal: Error {
    /// The standard's word.
    var error: String
    /// For people.
    var text: String

    /// The answer.
    var reply: SimulatorReply {
        .json(
            self.error == "invalid_client" ? 401 : 400,
            headers: [("cache-control", "no-store")],
            .object([
                .init(name: "error", value: .string(self.error)),
                .init(name: "error_description", value: .string(self.text)),
            ])
        )
    }

    static func grant(_ text: String) -> Self { Self(error: "invalid_grant", text: text) }
}
