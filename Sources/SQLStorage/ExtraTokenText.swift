package import GatewayModel

/// The text of a device's extra tokens in its row: one line for each, of kind and token.
///
/// In the row of the registration, so that they are stored, moved and deleted with it.
package enum ExtraTokenText {
    /// Returns the column's text; nil for no tokens.
    package static func text(_ tokens: [ExtraToken]) -> String? {
        tokens.isEmpty ? nil : tokens.map { "\($0.kind.rawValue) \($0.token)" }.joined(separator: "\n")
    }

    /// Reads a column; unknown lines are left out.
    package static func tokens(_ text: String?) -> [ExtraToken] {
        (text ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let kind = ExtraToken.Kind(rawValue: String(parts[0])) else { return nil }
            return ExtraToken(kind: kind, token: String(parts[1]))
        }
    }
}
