/// A push token that a caller shows as proof that it is on the device which a registration pushes to.
package struct PushTokenProof: Sendable {
    /// The token in each form that a transport may have it in.
    private let forms: [[UInt8]]

    /// Takes a token: secret.
    ///
    /// - Parameter forms: The token's bytes in each form that it may be registered in.
    package init(forms: some Sequence<[UInt8]>) { self.forms = Array(forms) }

    /// Compares the proof with a registration's token; only lengths show in the time that it takes.
    ///
    /// - Parameter token: The registration's present token.
    /// - Returns: True when it is the one that was shown.
    package func proves(_ token: String) -> Bool {
        let token = Array(token.utf8)
        return forms.contains { form in
            form.count == token.count && zip(form, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }
}
