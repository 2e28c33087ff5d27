internal import GatewayModel
internal import TextFormats

/// The setting `campaignTemplates` in a body; it is replaced as a whole.
enum CampaignTemplateBody {
    /// Reads the templates; records errors.
    static func templates(_ checks: inout FieldChecks, _ member: BodyMember) -> [String: String]? {
        guard let object = checks.object(member) else { return nil }
        let ids = object.names
        guard ids.count <= BrandSettings.maxCampaignTemplates else {
            checks.fail(member.pointer, "must have at most \(BrandSettings.maxCampaignTemplates) templates")
            return nil
        }
        var templates: [String: String] = [:]
        var bytes = 0
        for id in ids {
            let text = checks.content(object[id], atMost: EventLimits.textBytes, isRequired: true)
            guard CampaignTemplate.isID(id.text) else {
                checks.fail(object[id].pointer, CampaignTemplate.idRule)
                continue
            }
            guard let text else { continue }
            if CampaignTemplate(text) == nil { checks.fail(object[id].pointer, CampaignTemplate.rule) }
            bytes += text.utf8.count
            templates[id.text] = text
        }
        if bytes > BrandSettings.campaignTemplateBytes {
            checks.fail(member.pointer, "must have at most \(BrandSettings.campaignTemplateBytes) bytes of templates")
        }
        return templates
    }
}
