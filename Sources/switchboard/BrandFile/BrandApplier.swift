import Foundation
import GatewayClient
import Identity

/// Sends the requests of a plan.
///
/// A brand or an app that was changed since it was read is not overwritten, and of two credentials that are created at
/// once the later one is revoked.
struct BrandApplier {
    /// The file.
    let file: BrandFile
    /// The plan.
    let plan: BrandPlan
    /// The brand as it was compared.
    let present: BrandState
    /// The gateway.
    let client: APIClient
    /// The directory for generated secrets.
    let secretsDirectory: String?

    private var path: [String] { ["v1", "brands", file.id] }

    /// Sends the requests in order.
    ///
    /// - Parameter report: Called after each step, with the step and the file of its generated secret.
    /// - Throws: ``CommandFailure`` at the first error; the next application continues there.
    func run(_ report: (BrandStep, String?) -> Void) async throws {
        // What can be known to fail does so before the first request.
        let bodies = try plan.steps.map { try file.body(of: $0) }
        if let secretive = plan.steps.first(where: \.returnsSecret) {
            guard let secretsDirectory else {
                throw CommandFailure(
                    .failure,
                    "the gateway generates a secret for \(secretive.subject): name a directory for it with --secrets-dir"
                )
            }
            try SecretFile.prepare(secretsDirectory)
        }
        var tag = present.brandTag
        for (index, (step, body)) in zip(plan.steps, bodies).enumerated() {
            do {
                let response = try await send(step, body, tag)
                if step.kind == .brand { tag = response.entityTag }
                // Written first, so that a later error does not lose it.
                let secret = try stored(step, response.body)
                if step.kind == .credential, step.action == .create { try await requireFirst(response.body, secret) }
                report(step, secret)
            } catch let failure as CommandFailure {
                throw CommandFailure(
                    failure.status,
                    "\(step.subject): \(failure.message)\n\(index) of \(plan.steps.count) steps are done; apply again "
                        + "continues with the rest"
                )
            }
        }
    }

    private func send(_ step: BrandStep, _ body: JSONValue, _ tag: String?) async throws -> APIClient.Response {
        let response =
            switch (step.kind, step.action) {
            case (.brand, .create): try await client.exchange("POST", ["v1", "brands"], body: body)
            case (.brand, _):
                try await client.exchange("PATCH", path, body: body, condition: tag.map(APIClient.Condition.unchanged))
            case (.app, .delete): try await client.exchange("DELETE", path + ["apps", step.name])
            case (.app, _):
                try await client.exchange(
                    "PUT",
                    path + ["apps", step.name],
                    body: body,
                    condition: present.appTags[step.name].map(APIClient.Condition.unchanged) ?? .absent
                )
            case (.hook, .delete): try await client.exchange("DELETE", path + ["hooks", step.name])
            case (.hook, _):
                try await client.exchange(
                    "PUT",
                    path + ["hooks", step.name],
                    body: body,
                    condition: present.hookTags[step.name].map(APIClient.Condition.unchanged) ?? .absent
                )
            case (.credential, .delete):
                try await client.exchange("DELETE", path + ["credentials", step.id ?? ""])
            case (.credential, _): try await client.exchange("POST", path + ["credentials"], body: body)
            }
        // Somebody else deleted it meanwhile.
        if step.action == .delete, response.status == 404, response.body["code"].string == "not_found" {
            return response
        }
        do { return try client.checked(response) } catch let failure as CommandFailure {
            let places = response.body["errors"].items.map { error in
                let names = error["pointer"].plain.split(separator: "/").map(String.init)
                return FileProblem(path: step.path + names, detail: error["detail"].plain)
            }
            let lines = places.isEmpty || step.path.isEmpty ? "" : "\n" + file.failure(places).message
            throw CommandFailure(failure.status, failure.message + lines)
        }
    }

    /// Revokes a credential again if another application created one with its name since this one read the list.
    private func requireFirst(_ made: JSONValue, _ secret: String?) async throws {
        let known = Set(present.credentials.map { $0["id"].plain })
        let others = try await BrandState.items(path + ["credentials"], client).filter { other in
            other["kind"] == made["kind"] && other["name"] == made["name"] && other["id"] != made["id"]
                && !known.contains(other["id"].plain)
        }
        let isEarlier = { (other: JSONValue) in
            (other["createdAt"].plain, other["id"].plain) < (made["createdAt"].plain, made["id"].plain)
        }
        guard let first = others.first(where: isEarlier) else { return }
        _ = try await client.call("DELETE", path + ["credentials", made["id"].plain])
        if let secret { try? FileManager.default.removeItem(atPath: secret) }
        throw CommandFailure(
            .failure,
            "somebody else created it at the same time (\(first["id"].plain)); this one was revoked again"
        )
    }

    /// Writes the secret of a response, if it has a generated one, into a file.
    private func stored(_ step: BrandStep, _ response: JSONValue) throws -> String? {
        guard step.returnsSecret, let secretsDirectory else { return nil }
        if step.kind == .hook {
            let fingerprint = SecretHash.fingerprint(response["path"].plain)
            return try SecretFile.create(response, "hook-\(step.name)-\(fingerprint).json", in: secretsDirectory)
        }
        let secret = step.kind == .brand ? response["settings"]["webhook"] : response
        guard secret["secret"].string != nil else { return nil }
        let name = step.kind == .brand ? "webhook-" + secret["secretFingerprint"].plain : secret["id"].plain
        return try SecretFile.create(secret, name + ".json", in: secretsDirectory)
    }
}
