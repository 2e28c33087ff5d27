/// An installation of an app on a device; unique within the app.
package struct DeviceID: GatewayIdentifier {
    /// The identifier as the outside program wrote it.
    package let rawValue: String

    /// Takes a string that is known to be valid.
    ///
    /// - Parameter rawValue: A string that passes ``isValid(_:)``; it is not checked again.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
