package import GatewayModel

extension StoreChange {
    /// The brand of the change; nil when only the store knows it.
    package var brand: BrandID? {
        switch self {
        case .register(let device): device.brand
        case .unregister(let brand, _, _, _, _): brand
        case .read(let request): request.brand
        case .tap(let request): request.brand
        case .receipts(let brand, _, _): brand
        case .upsertConsumer(let brand, _, _, _): brand
        case .openSession(let session, _): session.brand
        case .endSession: nil
        case .endSessions(let brand, _, _, _, _): brand
        case .retry(let request): request.brand
        case .openConversation(let request): request.brand
        case .write(let request): request.brand
        case .resolve(let brand, _, _): brand
        case .changeProfile(let change): change.brand
        case .erase(let request): request.brand
        case .merge(let request): request.brand
        case .track(let change): change.brand
        case .endStale(let stale): stale.brand
        }
    }
}
