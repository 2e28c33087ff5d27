package import GatewayModel

/// What a brand adds to each of its pushes.
package struct BrandRendering: Sendable {
    /// The text that stands in for one that is hidden or does not fit.
    package static let genericText = "New message"

    /// Names that take more bytes in JSON are left out of a push that is reduced to its bare form, so that it always fits.
    static let maxBareNameBytes = 256

    /// The brand.
    package let brand: BrandID
    /// Its name as consumers see it.
    package let name: String
    /// How much of a message a notification shows.
    package let preview: BrandSettings.Preview
    /// The host whose links the app opens, if it has one.
    let links: LinkSettings?
    /// The title of a push that is reduced to its bare form.
    let bareTitle: String?

    /// Takes what matters of a brand and its app.
    ///
    /// - Parameters:
    ///   - brand: The brand as it is now.
    ///   - links: The host whose links the app opens.
    package init(brand: Brand, links: LinkSettings? = nil) {
        self.brand = brand.id
        self.links = links
        name = brand.name
        preview = brand.settings.preview
        let escapedBytes = brand.name.utf8.reduce(0) { $0 + JSONWriter.escapedCount($1) }
        bareTitle = escapedBytes <= Self.maxBareNameBytes ? brand.name : nil
    }

    /// The title of a notification: the event's, else the sender's name, else the brand's (`http-api.md` section 10).
    ///
    /// An event's own title may tell what the message says, so that only `full` shows it.
    ///
    /// - Parameter message: The message.
    /// - Returns: The title; the brand's name when nothing else may be shown.
    package func title(of message: Message) -> String {
        switch preview {
        case .full: message.title ?? message.agentNickname ?? name
        case .sender: message.agentNickname ?? name
        case .none: name
        }
    }

    /// The text of a notification, before it is cut.
    ///
    /// - Parameter message: The message.
    /// - Returns: The message's text, or ``genericText`` when the brand hides it.
    package func text(of message: Message) -> String {
        preview == .full ? message.text : Self.genericText
    }
}
