/// The condition under which a login with an identifier merges an anonymous consumer; the raw value is the JSON value.
package enum AnonymousMerge: String, Codable, Sendable, CaseIterable {
    /// The login sends the token of the anonymous consumer's session.
    case token
    /// The login sends that token or names the device: whoever knows a device's id can prepare such a merge.
    case device
}
