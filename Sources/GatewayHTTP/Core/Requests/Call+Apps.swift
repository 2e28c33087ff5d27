internal import GatewayModel
internal import Identity
internal import TextFormats

extension Call {
    /// Returns the app that a device names: an id that ends in `-Dev` is the sandbox of the app without it (R78).
    ///
    /// - Parameters:
    ///   - id: The id as the device states it.
    ///   - brand: The brand.
    /// - Returns: The app's id, and whether the device has a development build; the stated id for an app of the brand,
    ///   and for an unknown app.
    func app(named id: AppID, of brand: BrandID) -> (id: AppID, isSandbox: Bool) {
        let (suffix, directory) = ("-Dev", services.directory)
        guard id.rawValue.hasByteSuffix(suffix), directory.app(brand: brand, app: id) == nil,
            let released = AppID(String(Substring(id.rawValue.utf8.dropLast(suffix.utf8.count)))),
            directory.app(brand: brand, app: released) != nil
        else { return (id, false) }
        return (released, true)
    }
}
