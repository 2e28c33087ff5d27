/// An offer of a brand to be contacted, and how a conversation that begins with it is routed (R116-R121); encodes and decodes
/// as its JSON.
package struct Engagement: Codable, Equatable, Sendable {
    /// The brand's id of it, unique among its engagements.
    package var id: String
    /// The brand's campaign that it is of.
    package var campaignId: String
    /// Where in an app it is offered; nothing is everywhere.
    package var entryPoints: [String]
    /// The only app that it is offered in; nil is every app.
    package var app: String?
    /// Which agents should answer.
    package var skill: String
    /// Language tag of what the system says.
    package var language: String?
    /// The survey that belongs to it.
    package var surveyId: String?

    /// The most that a brand has: they are looked through with every question.
    package static let maxCount = 100
    /// The most entry points of one, and of a question.
    package static let maxEntryPoints = 32
    /// The longest entry point, in bytes of UTF-8: the address of a page fits.
    package static let entryPointBytes = 1024
    /// The longest of its other members, in bytes of UTF-8.
    package static let memberBytes = 256

    /// Takes an engagement.
    ///
    /// - Parameters:
    ///   - id: The brand's id of it.
    ///   - campaignId: The brand's campaign that it is of.
    ///   - entryPoints: Where in an app it is offered.
    ///   - app: The only app that it is offered in.
    ///   - skill: Which agents should answer.
    ///   - language: Language tag of what the system says.
    ///   - surveyId: The survey that belongs to it.
    package init(
        id: String,
        campaignId: String,
        entryPoints: [String],
        app: String? = nil,
        skill: String,
        language: String? = nil,
        surveyId: String? = nil
    ) {
        self.id = id
        self.campaignId = campaignId
        self.entryPoints = entryPoints
        self.app = app
        self.skill = skill
        self.language = language
        self.surveyId = surveyId
    }

    /// Whether it is offered at a place: in this app, when all of its entry points are named, in whatever order.
    ///
    /// - Parameters:
    ///   - app: The app that asks.
    ///   - entryPoints: The entry points of the place, as bytes of UTF-8.
    /// - Returns: True for one that names neither an app nor an entry point.
    package func isOffered(in app: AppID, at entryPoints: Set<[UInt8]>) -> Bool {
        (self.app == nil || self.app == app.rawValue)
            && self.entryPoints.allSatisfy { entryPoints.contains(Array($0.utf8)) }
    }
}
