package import GatewayModel
internal import TextFormats

/// The brand's part of each of its pushes.
package struct BrandRendering: Sendable {
    /// The text that replaces one that is hidden or does not fit.
    package static let genericText = "New message"

    /// The most bytes in JSON of a name in a push that is reduced to its bare form; longer names are left out, so that
    /// it always fits.
    static let maxBareNameBytes = 256

    /// The brand.
    package let brand: BrandID
    /// The brand's name as consumers see it.
    package let name: String
    /// The part of a message that a notification shows.
    package let preview: BrandSettings.Preview
    /// The host whose links the app opens, if it has one.
    let links: LinkSettings?
    /// The title of a push that is reduced to its bare form.
    let bareTitle: String?
    /// The brand's templates; nil if it has none.
    private let templates: BrandTemplates?

    /// Creates the rendering of a brand and its app.
    ///
    /// - Parameters:
    ///   - brand: The brand as it is now.
    ///   - links: The host whose links the app opens.
    package init(brand: Brand, links: LinkSettings? = nil) {
        self.brand = brand.id
        self.links = links
        name = brand.name
        preview = brand.settings.preview
        templates = BrandTemplates(brand.settings.templates)
        let escapedBytes = brand.name.utf8.reduce(0) { $0 + JSONWriter.escapedCount($1) }
        bareTitle = escapedBytes <= Self.maxBareNameBytes ? brand.name : nil
    }

    /// The title and text of a notification.
    package struct Words: Sendable, Equatable {
        /// The title.
        package var title: String
        /// The text, before it is truncated.
        package var text: String

        /// The words of a push that shows nothing.
        static let none = Words(title: "", text: "")
    }

    /// Returns title and text of a push's notification: from the brand's templates if it has some, else the default
    /// texts of the DevicesBadgesTaps page.
    ///
    /// - Returns: Title and text, without anything that the brand's `preview` hides.
    package func words(of message: Message, for job: PushJob) -> Words {
        let isSummary = job.summary > 0
        let plain =
            isSummary
            ? Words(title: name, text: "\(job.summary) new messages")
            : Words(title: title(of: message), text: text(of: message))
        guard let templates else { return plain }
        let kind = isSummary ? .summary : TemplateSettings.Kind(message.kind)
        let own = templates.words(kind, locale: job.locale) {
            value($0, of: message, for: job)
        }
        return Words(title: own.title ?? plain.title, text: own.text ?? plain.text)
    }

    /// Returns the agent of a message as a JSON object; nil when it would have no member.
    func agent(of message: Message) -> [UInt8]? {
        var writer = JSONWriter(capacity: 96)
        appendAgent(of: message, after: "", to: &writer)
        return writer.bytes.isEmpty ? nil : writer.bytes
    }

    /// Appends the agent of a message as a JSON object after a prefix; nothing when it would have no member.
    ///
    /// It has the agent's id, and the nickname unless ``preview`` hides it (R194). A silent push has no nickname, as it has
    /// no text.
    func appendAgent(of message: Message, after prefix: StaticString, to writer: inout JSONWriter) {
        let nickname = preview == .none || message.silent ? nil : message.agentNickname
        guard message.agentID != nil || nickname != nil else { return }
        writer.literal(prefix)
        writer.literal("{")
        writer.member("id", message.agentID)
        writer.member("nickname", nickname)
        writer.literal("}")
    }

    /// Returns a value of a template: nil if ``preview`` hides it.
    private func value(_ name: WordTemplate.Name, of message: Message, for job: PushJob) -> String? {
        switch name {
        case .brand: self.name
        case .agent: preview == .none ? nil : message.agentNickname
        case .text: preview == .full ? message.text : nil
        case .title: preview == .full ? message.title : nil
        case .unread: job.badge.map(String.init)
        case .conversation: message.conversation.rawValue
        case .count: job.summary > 0 ? String(job.summary) : nil
        }
    }

    /// Returns the title of a notification: the event's, else the sender's name, else the brand's (DevicesBadgesTaps
    /// page).
    ///
    /// An event's own title may reveal the message, so only `full` shows it.
    ///
    /// - Returns: The title; the brand's name when nothing else may be shown.
    private func title(of message: Message) -> String {
        switch preview {
        case .full: message.title ?? message.agentNickname ?? name
        case .sender: message.agentNickname ?? name
        case .none: name
        }
    }

    /// Returns the text of a notification, before it is truncated.
    ///
    /// - Returns: The message's text, or ``genericText`` when the brand hides it.
    private func text(of message: Message) -> String {
        preview == .full ? message.text : Self.genericText
    }
}
