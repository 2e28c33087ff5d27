/// The gateway's response to a request for an engagement.
public struct Engagement: Sendable, Hashable {
    /// The id of the page view.
    public var pageID: String
    /// The id of the visit.
    public var sessionID: String
    /// The id of the visitor.
    public var visitorID: String
    /// The offer; nil if the brand offers nothing at these places.
    public var details: Details?
    /// The consumer's active conversation, if the session identifies one.
    public var activeConversationID: String?

    /// An offer to contact the brand.
    public struct Details: Sendable, Hashable {
        /// The campaign.
        public var campaignID: String
        /// The engagement.
        public var engagementID: String
        /// The context that the gateway recognizes its offer by.
        public var contextID: String
        /// The skill that a new conversation is routed to.
        public var skill: String?
        /// The language of system messages.
        public var language: String?
        /// The survey after the conversation.
        public var surveyID: String?
        /// Whether there is an active conversation, which is continued.
        public var isInConversation: Bool

        /// Reads an offer.
        init?(_ value: JSONValue) {
            guard let campaign = value["campaignId"]?.text, let engagement = value["engagementId"]?.text,
                let context = value["contextId"]?.text
            else { return nil }
            campaignID = campaign
            engagementID = engagement
            contextID = context
            skill = value["skill"]?.text
            language = value["language"]?.text
            surveyID = value["surveyId"]?.text
            isInConversation = value["status"]?.text == "conversation"
        }
    }

    /// Reads a response.
    ///
    /// - Throws: `malformedResponse` without the ids.
    init(_ value: JSONValue) throws(SwitchboardError) {
        pageID = try value.required("pageId", \.text)
        sessionID = try value.required("sessionId", \.text)
        visitorID = try value.required("visitorId", \.text)
        details = value["engagementDetails"].flatMap { Details($0) }
        activeConversationID = value["conversation"]?["id"]?.text
    }
}

/// The last engagement of the consumer; a pure value, in memory only.
struct EngagementState: Sendable, Equatable {
    /// The offer for the next conversation: one that is not made any more routes nothing (R120).
    private(set) var details: Engagement.Details?
    private(set) var sessionID: String?
    private(set) var visitorID: String?

    /// The gateway has responded.
    mutating func received(_ engagement: Engagement) {
        details = engagement.details
        sessionID = engagement.sessionID
        visitorID = engagement.visitorID
    }

    /// A conversation was opened with an offer, or the gateway rejected it: it is not used again.
    mutating func used(_ details: Engagement.Details) {
        if self.details == details { self.details = nil }
    }
}
