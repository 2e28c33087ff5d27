internal import GatewayModel
internal import Identity
internal import TextFormats

/// Engagements in request bodies: those of a brand's settings, and the one with which a conversation begins.
enum EngagementBody {
    /// Reads the setting `engagements`: the whole list, in its order.
    static func engagements(_ checks: inout FieldChecks, _ member: BodyMember) -> [Engagement]? {
        guard let items = checks.items(member, atMost: Engagement.maxCount) else { return nil }
        var ids: Set<BoundedName> = []
        var engagements: [Engagement] = []
        for item in items {
            guard let object = checks.object(item, isRequired: true),
                let engagement = engagement(&checks, object)
            else { continue }
            if let id = BoundedName(engagement.id), !ids.insert(id).inserted {
                checks.fail(object["id"].pointer, "is the id of an earlier engagement")
            }
            engagements.append(engagement)
        }
        return engagements
    }

    private static func engagement(_ checks: inout FieldChecks, _ object: BodyObject) -> Engagement? {
        let most = Engagement.memberBytes
        let id = checks.line(object["id"], atMost: most, isRequired: true)
        let campaignID = checks.line(object["campaignId"], atMost: most, isRequired: true)
        let entryPoints = Self.entryPoints(&checks, object["entryPoints"])
        let app = checks.identifier(object["app"], as: AppID.self)
        let skill = checks.line(object["skill"], atMost: most, isRequired: true)
        let language = checks.line(object["language"], atMost: most)
        let surveyID = checks.line(object["surveyId"], atMost: most)
        checks.rejectOthers(
            in: object,
            than: ["id", "campaignId", "entryPoints", "app", "skill", "language", "surveyId"]
        )
        guard let id, let campaignID, let entryPoints, let skill else { return nil }
        return Engagement(
            id: id,
            campaignId: campaignID,
            entryPoints: entryPoints,
            app: app?.rawValue,
            skill: skill,
            language: language,
            surveyId: surveyID
        )
    }

    /// Reads entry points, which are required, even if the list is empty.
    static func entryPoints(_ checks: inout FieldChecks, _ member: BodyMember) -> [String]? {
        guard let items = checks.items(member, atMost: Engagement.maxEntryPoints, isRequired: true) else { return nil }
        var entryPoints: [String] = []
        for item in items {
            guard let point = checks.line(item, atMost: Engagement.entryPointBytes, isRequired: true) else { continue }
            entryPoints.append(point)
        }
        return entryPoints
    }

    /// A device's claim about the engagement that it was offered; all three members are required.
    struct Claim {
        var campaignID: String
        var engagementID: String
        var contextID: String

        init?(_ member: BodyMember, _ checks: inout FieldChecks) {
            guard let object = checks.object(member) else { return nil }
            let most = Engagement.memberBytes
            let campaignID = checks.line(object["campaignId"], atMost: most, isRequired: true)
            let engagementID = checks.line(object["engagementId"], atMost: most, isRequired: true)
            let contextID = checks.line(object["contextId"], atMost: most, isRequired: true)
            checks.rejectOthers(in: object, than: ["campaignId", "engagementId", "contextId"])
            guard let campaignID, let engagementID, let contextID else { return nil }
            self.campaignID = campaignID
            self.engagementID = engagementID
            self.contextID = contextID
        }
    }
}
