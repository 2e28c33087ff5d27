/// An offer of a brand to be contacted, and the routing of a conversation that begins with it (R116-R121).
///
/// It encodes and decodes as its JSON.
package struct Engagement: Codable, Equatable, Sendable {
    /// The brand's id for it, unique among its engagements.
    package var id: String
    /// The brand's campaign that it belongs to.
    package var campaignId: String
    /// The places in an app where it is offered; empty for everywhere.
    package var entryPoints: [String]
    /// The only app in which it is offered; nil for every app.
    package var app: String?
    /// The skill of the agents who should reply.
    package var skill: String
    /// The language tag of the system's texts.
    package var language: String?
    /// The survey of the engagement.
    package var surveyId: String?

    /// The maximum of engagements of a brand: each request scans them.
    package static let maxCount = 100
    /// The maximum of entry points of one engagement, and of one request.
    package static let maxEntryPoints = 32
    /// The maximum length of an entry point, in bytes of UTF-8: the URL of a page fits.
    package static let entryPointBytes = 1024
    /// The maximum length of its other members, in bytes of UTF-8.
    package static let memberBytes = 256

    /// Creates an engagement.
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

    /// Returns whether it is offered at a place: in this app, when the place has all of its entry points, in any order.
    ///
    /// - Parameters:
    ///   - app: The app of the request.
    ///   - entryPoints: The entry points of the place, as bytes of UTF-8.
    /// - Returns: True for one without an app and without entry points.
    package func isOffered(in app: AppID, at entryPoints: Set<[UInt8]>) -> Bool {
        (self.app == nil || self.app == app.rawValue)
            && self.entryPoints.allSatisfy { entryPoints.contains(Array($0.utf8)) }
    }
}
