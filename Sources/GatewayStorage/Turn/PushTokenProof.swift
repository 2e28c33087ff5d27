/// A push token that a caller presents as proof that it runs on the device to which a registration pushes.
package struct PushTokenProof: Sendable {
    /// The token in each form in which a transport may store it.
    private let forms: [[UInt8]]

    /// Creates a proof from a token: secret, its bytes in each form in which it may be registered.
    package init(forms: some Sequence<[UInt8]>) { self.forms = Array(forms) }

    /// Returns whether a registration's token is the presented one; the time reveals only lengths.
    package func proves(_ token: String) -> Bool {
        let token = Array(token.utf8)
        return forms.contains { form in
            form.count == token.count && zip(form, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }
}
