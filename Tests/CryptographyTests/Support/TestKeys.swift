/// Keys, good and bad, that OpenSSL's tools and Python made for these tests.
enum TestKeys {
    /// The SEC 1 key of ``pkcs8``.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEINaoXgvHtHy7xhK8EM4uss7Bgw6QMQ63Wl9RZ8mOTCZioAoGCCqGSM49
        AwEHoUQDQgAEL5lxW8iNJvIZCJJU3Y+PM7egchVCTifQ6PLdfXAzxOjMMFs5kzyw
        PXSSRqQgPodkNcYe3pqoq0uOcea/O8V/fQ==
        -----END EC PRIVATE KEY-----
        """
    /// A key on P-256.
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1qheC8e0fLvGErwQ
        zi6yzsGDDpAxDrdaX1FnyY5MJmKhRANCAAQvmXFbyI0m8hkIklTdj48zt6ByFUJO
        J9Do8t19cDPE6MwwWzmTPLA9dJJGpCA+h2Q1xh7emqirS45x5r87xX99
        -----END PRIVATE KEY-----
        """
    /// ``sec1`` without its public key.
    static let ecWithoutPoint = """
        -----BEGIN EC PRIVATE KEY-----
        MDECAQEEINaoXgvHtHy7xhK8EM4uss7Bgw6QMQ63Wl9RZ8mOTCZioAoGCCqGSM49
        AwEH
        -----END EC PRIVATE KEY-----
        """
    /// ``sec1`` with the public key of another key.
    static let ecOfOtherPoint = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEINaoXgvHtHy7xhK8EM4uss7Bgw6QMQ63Wl9RZ8mOTCZioAoGCCqGSM49
        AwEHoUQDQgAE9beTvuxYY2x8UYfql536208TSpQ3q+3lci7s0JjcqQHRODetGH+D
        GB67qOzVFiOLtdWEy1x7ejLaa+P5/R3sxA==
        -----END EC PRIVATE KEY-----
        """
    /// The number zero.
    static let ecZero = """
        -----BEGIN EC PRIVATE KEY-----
        MDECAQEEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoAoGCCqGSM49
        AwEH
        -----END EC PRIVATE KEY-----
        """
    /// The order of the curve.
    static let ecOrder = """
        -----BEGIN EC PRIVATE KEY-----
        MDECAQEEIP////8AAAAA//////////+85vqtpxeehPO5ysL8YyVRoAoGCCqGSM49
        AwEH
        -----END EC PRIVATE KEY-----
        """
    /// The order of the curve and one.
    static let ecOver = """
        -----BEGIN EC PRIVATE KEY-----
        MDECAQEEIP////8AAAAA//////////+85vqtpxeehPO5ysL8YyVSoAoGCCqGSM49
        AwEH
        -----END EC PRIVATE KEY-----
        """
    /// ``sec1`` with a byte after it.
    static let ecTrailing = """
        -----BEGIN EC PRIVATE KEY-----
        MDECAQEEINaoXgvHtHy7xhK8EM4uss7Bgw6QMQ63Wl9RZ8mOTCZioAoGCCqGSM49
        AwEHAA==
        -----END EC PRIVATE KEY-----
        """
    /// ``sec1`` with explicit parameters of the curve.
    static let explicit = """
        -----BEGIN EC PRIVATE KEY-----
        MIIBaAIBAQQg1qheC8e0fLvGErwQzi6yzsGDDpAxDrdaX1FnyY5MJmKggfowgfcC
        AQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAAAAAAAAAA////////////////
        MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57Pr
        vVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEE
        axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54W
        K84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8
        YyVRAgEBoUQDQgAEL5lxW8iNJvIZCJJU3Y+PM7egchVCTifQ6PLdfXAzxOjMMFs5
        kzywPXSSRqQgPodkNcYe3pqoq0uOcea/O8V/fQ==
        -----END EC PRIVATE KEY-----
        """
    /// Its public key.
    static let explicitPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBSzCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAA
        AAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA////
        ///////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSd
        NgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5
        RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA
        //////////+85vqtpxeehPO5ysL8YyVRAgEBA0IABC+ZcVvIjSbyGQiSVN2PjzO3
        oHIVQk4n0Ojy3X1wM8TozDBbOZM8sD10kkakID6HZDXGHt6aqKtLjnHmvzvFf30=
        -----END PUBLIC KEY-----
        """
    /// The public key with a compressed point.
    static let compressed = """
        -----BEGIN PUBLIC KEY-----
        MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADL5lxW8iNJvIZCJJU3Y+PM7egchVC
        TifQ6PLdfXAzxOg=
        -----END PUBLIC KEY-----
        """
    /// The public key with a hybrid point.
    static let hybrid = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAHL5lxW8iNJvIZCJJU3Y+PM7egchVC
        TifQ6PLdfXAzxOjMMFs5kzywPXSSRqQgPodkNcYe3pqoq0uOcea/O8V/fQ==
        -----END PUBLIC KEY-----
        """
    /// ``pkcs8``, encrypted with `a`.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgjSayKv2VNowICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEKiha/gcvtRZ99hzMt4WiA8EgZC0
        4LyBKt3IpqWB2boeovCVzXj1z4Jfhm9AfbKevLFFafv+A3Rcvlm5TYsiZz8vwgdl
        tTwgDwXrEbyfMCGHi2NyqUKHXsLkNb8lpakgyodOnoB9D8jlseX0oz03dFB/Sx2X
        Wu2rDZhj87v3mLKw25pKWSmqxZ1OZRcI5UTlssPp3CN9AGsJwST1ErgYqKVfw9o=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// ``sec1``, encrypted with `a` (RFC 1421).
    static let encryptedSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,E969CA05515C9962B64EA885290F9B3E

        Po7ysrZLiAu3+fHW7pRAf9sM4n2qZDGS2jKeanh3NG7TcSDjbpDaYg0Rz6UNCCqK
        5dq2S/+hs1pS8nqrHrN6IENAlqo2pIimj8Cw0a/2YD99YuHxlCOgCmMtk19tlMJp
        gnEWXLpbUk1/KNbq1CH2zWhmp7or24qdrRgG7G6ixfw=
        -----END EC PRIVATE KEY-----
        """
    /// A key on P-384.
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBs9gvxftdhwJwEKbV2
        A+b0ayanTTEPvObvaq9SisBycQgvOu8a4USImMBjWW7pBuuhZANiAATjDLJE0EfK
        K0FdL6xfivNzKy6UJaissRF9GdIIgFPfABkGRFEd3ez8t0JQ99gSQvRDTZEdmQKD
        LdRTOLVan4HQJ0eABqQsQcH/fbepjMVauaJjekJVZQ5+JLGvNjulWT0=
        -----END PRIVATE KEY-----
        """
    /// Its public key.
    static let p384Public = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE4wyyRNBHyitBXS+sX4rzcysulCWorLER
        fRnSCIBT3wAZBkRRHd3s/LdCUPfYEkL0Q02RHZkCgy3UUzi1Wp+B0CdHgAakLEHB
        /323qYzFWrmiY3pCVWUOfiSxrzY7pVk9
        -----END PUBLIC KEY-----
        """
    /// A key on secp256k1.
    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg9OTv4Si95S26woFNdhq9
        09dN8iJoUXZQ6kw94j3v0a6hRANCAAQJz0eS0aIJOEKsH4K8URxnrWhtyb2pHiFx
        b0vZP/50Ls5eMvj4HlkQ+oy76Vepdpma/bj/N+KiZUlzf655hFjZ
        -----END PRIVATE KEY-----
        """
    /// Its public key.
    static let secp256k1Public = """
        -----BEGIN PUBLIC KEY-----
        MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAECc9HktGiCThCrB+CvFEcZ61obcm9qR4h
        cW9L2T/+dC7OXjL4+B5ZEPqMu+lXqXaZmv24/zfiomVJc3+ueYRY2Q==
        -----END PUBLIC KEY-----
        """
    /// A key on Curve25519.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIL7SGFjH3qwrMVi8FrOYGccFtcm5Et0JU3U2lWd43Grr
        -----END PRIVATE KEY-----
        """
    /// An RSA key of 2048 bits, PKCS#1.
    static let rsa = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEAqgcTpvkQUiGguON/Cmjn9pqGM+ceRhVHYCB5CqgKuUTfSnoo
        4hyYF9xX/IVg0SGrEaV+F9fkkTYxH6+B8/pnS6s5IPl75QLZumKuyJjpJ75ULZrK
        tX9MSPagKy/lTNuZqEfJoAO20DS3QMLaaAfs0f6EaHGd3K3KXtp1KpyC2a2Zynoc
        TUs4clZ5VSfoJ2iRFD0p+guMwVo5p1TivR9w7QOftbULuO9LGRFA+Bd1bjkuZMxi
        tiFwA4WT6t9ynHEf2JrCflOgVck8vWmG0Nqu8T0AP9BIjKh++zceXazOMYFGaAaV
        4C+Rvc4TO0m8xKIYvfiI6j5ttzl4f4Ymvy86AwIDAQABAoIBAACTXIKdOZL8sfLh
        MLE2L+a9+UyH21oRN9KiQxxIfzT84+T60S6nlvJwjVyVCFm+4q6vdaIj445Q49yj
        V870V/dpYMADE6UwWpYfktpefb19eiAva0c403+HSEe1OfwDfsWYMRTLq647RHxv
        Sk/Z2iQ6waqSzGTPyxIC981+sz1WPIUNdCiMgkHxdhC0Nc/EAsvMT23fBuNAfskf
        qiKHJXWP+721yfA3fBUOZJVJB6hl40/85NIcD0XybIQAnPiL7fnZtg0Imq81kQrm
        uCSzU+bl+1ZLpLa+UZZXVX325pzWXWlch4rd662Fbl5CSO8U2yyOC17SqQaImeDv
        NWQwymECgYEA10eJkZstWojEkRtBxuy3+DwLaS9v5ICcM1Dm7mMyzyFUbDbz0JxF
        2v7atrSIVTBLOd9zlwOO3zXrqQXQgtMhDPWR54oD9hEHkj5RE892aT7GOJUj/2sG
        Voj0Ow2QAQ2t9M8ypahj4dS3DxxsLeAcHeMkK0DHITkYcu8MZrJz8nMCgYEAyjBQ
        fffQ+8vOy716AEqehWU4LAGKfFFSWUHbH74fgHZ5W9jalJtxafvoaP0CMprB4nH3
        gRTWkk/YokNeAhASq9ZfyiDy7bNfzuZxVsk2kW7XwcDs4GSPXuFkMFmU9Fdo3Dm5
        ZBt4qqdXNPWpwWbesTgI92FCBoOG0QDxCh0MZjECgYEA0t/cPajHcFtwUMNmVzkh
        rCME+m/hJu9kElA5JWI+Lu7zB118zueE9dOW4klNEkVQKsxbKZ3uoW7r/JEZgkzV
        nyAdX7St1Kcxx2sLeGBMGSPIfzx4GoX3m2Rj+ER8vstrjtY3QlYEIP6Aomiw/u78
        G7qXf1bguAZ5kHvgpeg/80kCgYEAkWkP6ph4ry5Tiom5nU4NFcjHDjcJfwEJZXIM
        gpa8lyode6XJBcmJVny6GA+mLfjI6e+m3im7a7yLA5/Jk1g15WmmuHrb24H+rJFk
        /9J0MUHzX8A9W+BWkBkvceprSxM2MfQ91bZAIRN6j3cCYDp4fCHdqPREhOTA571y
        nSBpE3ECgYA2Cuj+lhbEhngA5LFkIbEPOzZRxwMRIEjJjwIQsO1r12qJ8+QvaYi6
        4Qjip4cttKAi1enGXXB3dfUErfGyNx5wwxLX02JRIbqpMaP9exCfgXZvXwn2ieKo
        +xHH3UDex7cLG2hUFmTu8inBk5LUnwL4/OP6drz1gPMm9vo3dqi/UA==
        -----END RSA PRIVATE KEY-----
        """
    /// The same, PKCS#8.
    static let rsaPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCqBxOm+RBSIaC4
        438KaOf2moYz5x5GFUdgIHkKqAq5RN9KeijiHJgX3Ff8hWDRIasRpX4X1+SRNjEf
        r4Hz+mdLqzkg+XvlAtm6Yq7ImOknvlQtmsq1f0xI9qArL+VM25moR8mgA7bQNLdA
        wtpoB+zR/oRocZ3crcpe2nUqnILZrZnKehxNSzhyVnlVJ+gnaJEUPSn6C4zBWjmn
        VOK9H3DtA5+1tQu470sZEUD4F3VuOS5kzGK2IXADhZPq33KccR/YmsJ+U6BVyTy9
        aYbQ2q7xPQA/0EiMqH77Nx5drM4xgUZoBpXgL5G9zhM7SbzEohi9+IjqPm23OXh/
        hia/LzoDAgMBAAECggEAAJNcgp05kvyx8uEwsTYv5r35TIfbWhE30qJDHEh/NPzj
        5PrRLqeW8nCNXJUIWb7irq91oiPjjlDj3KNXzvRX92lgwAMTpTBalh+S2l59vX16
        IC9rRzjTf4dIR7U5/AN+xZgxFMurrjtEfG9KT9naJDrBqpLMZM/LEgL3zX6zPVY8
        hQ10KIyCQfF2ELQ1z8QCy8xPbd8G40B+yR+qIocldY/7vbXJ8Dd8FQ5klUkHqGXj
        T/zk0hwPRfJshACc+Ivt+dm2DQiarzWRCua4JLNT5uX7Vkuktr5RlldVffbmnNZd
        aVyHit3rrYVuXkJI7xTbLI4LXtKpBoiZ4O81ZDDKYQKBgQDXR4mRmy1aiMSRG0HG
        7Lf4PAtpL2/kgJwzUObuYzLPIVRsNvPQnEXa/tq2tIhVMEs533OXA47fNeupBdCC
        0yEM9ZHnigP2EQeSPlETz3ZpPsY4lSP/awZWiPQ7DZABDa30zzKlqGPh1LcPHGwt
        4Bwd4yQrQMchORhy7wxmsnPycwKBgQDKMFB999D7y87LvXoASp6FZTgsAYp8UVJZ
        Qdsfvh+Adnlb2NqUm3Fp++ho/QIymsHicfeBFNaST9iiQ14CEBKr1l/KIPLts1/O
        5nFWyTaRbtfBwOzgZI9e4WQwWZT0V2jcOblkG3iqp1c09anBZt6xOAj3YUIGg4bR
        APEKHQxmMQKBgQDS39w9qMdwW3BQw2ZXOSGsIwT6b+Em72QSUDklYj4u7vMHXXzO
        54T105biSU0SRVAqzFspne6hbuv8kRmCTNWfIB1ftK3UpzHHawt4YEwZI8h/PHga
        hfebZGP4RHy+y2uO1jdCVgQg/oCiaLD+7vwbupd/VuC4BnmQe+Cl6D/zSQKBgQCR
        aQ/qmHivLlOKibmdTg0VyMcONwl/AQllcgyClryXKh17pckFyYlWfLoYD6Yt+Mjp
        76beKbtrvIsDn8mTWDXlaaa4etvbgf6skWT/0nQxQfNfwD1b4FaQGS9x6mtLEzYx
        9D3VtkAhE3qPdwJgOnh8Id2o9ESE5MDnvXKdIGkTcQKBgDYK6P6WFsSGeADksWQh
        sQ87NlHHAxEgSMmPAhCw7WvXaonz5C9piLrhCOKnhy20oCLV6cZdcHd19QSt8bI3
        HnDDEtfTYlEhuqkxo/17EJ+Bdm9fCfaJ4qj7EcfdQN7HtwsbaFQWZO7yKcGTktSf
        Avj84/p2vPWA8yb2+jd2qL9Q
        -----END PRIVATE KEY-----
        """
    /// Its public key.
    static let rsaPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqgcTpvkQUiGguON/Cmjn
        9pqGM+ceRhVHYCB5CqgKuUTfSnoo4hyYF9xX/IVg0SGrEaV+F9fkkTYxH6+B8/pn
        S6s5IPl75QLZumKuyJjpJ75ULZrKtX9MSPagKy/lTNuZqEfJoAO20DS3QMLaaAfs
        0f6EaHGd3K3KXtp1KpyC2a2ZynocTUs4clZ5VSfoJ2iRFD0p+guMwVo5p1TivR9w
        7QOftbULuO9LGRFA+Bd1bjkuZMxitiFwA4WT6t9ynHEf2JrCflOgVck8vWmG0Nqu
        8T0AP9BIjKh++zceXazOMYFGaAaV4C+Rvc4TO0m8xKIYvfiI6j5ttzl4f4Ymvy86
        AwIDAQAB
        -----END PUBLIC KEY-----
        """
    /// ``rsa`` with another private exponent.
    static let rsaWrongExponent = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEAqgcTpvkQUiGguON/Cmjn9pqGM+ceRhVHYCB5CqgKuUTfSnoo
        4hyYF9xX/IVg0SGrEaV+F9fkkTYxH6+B8/pnS6s5IPl75QLZumKuyJjpJ75ULZrK
        tX9MSPagKy/lTNuZqEfJoAO20DS3QMLaaAfs0f6EaHGd3K3KXtp1KpyC2a2Zynoc
        TUs4clZ5VSfoJ2iRFD0p+guMwVo5p1TivR9w7QOftbULuO9LGRFA+Bd1bjkuZMxi
        tiFwA4WT6t9ynHEf2JrCflOgVck8vWmG0Nqu8T0AP9BIjKh++zceXazOMYFGaAaV
        4C+Rvc4TO0m8xKIYvfiI6j5ttzl4f4Ymvy86AwIDAQABAoIBAACTXIKdOZL8sfLh
        MLE2L+a9+UyH21oRN9KiQxxIfzT84+T60S6nlvJwjVyVCFm+4q6vdaIj445Q49yj
        V870V/dpYMADE6UwWpYfktpefb19eiAva0c403+HSEe1OfwDfsWYMRTLq647RHxv
        Sk/Z2iQ6waqSzGTPyxIC981+sz1WPIUNdCiMgkHxdhC0Nc/EAsvMT23fBuNAfskf
        qiKHJXWP+721yfA3fBUOZJVJB6hl40/85NIcD0XybIQAnPiL7fnZtg0Imq81kQrm
        uCSzU+bl+1ZLpLa+UZZXVX325pzWXWlch4rd662Fbl5CSO8U2yyOC17SqQaImeDv
        NWQwymMCgYEA10eJkZstWojEkRtBxuy3+DwLaS9v5ICcM1Dm7mMyzyFUbDbz0JxF
        2v7atrSIVTBLOd9zlwOO3zXrqQXQgtMhDPWR54oD9hEHkj5RE892aT7GOJUj/2sG
        Voj0Ow2QAQ2t9M8ypahj4dS3DxxsLeAcHeMkK0DHITkYcu8MZrJz8nMCgYEAyjBQ
        fffQ+8vOy716AEqehWU4LAGKfFFSWUHbH74fgHZ5W9jalJtxafvoaP0CMprB4nH3
        gRTWkk/YokNeAhASq9ZfyiDy7bNfzuZxVsk2kW7XwcDs4GSPXuFkMFmU9Fdo3Dm5
        ZBt4qqdXNPWpwWbesTgI92FCBoOG0QDxCh0MZjECgYEA0t/cPajHcFtwUMNmVzkh
        rCME+m/hJu9kElA5JWI+Lu7zB118zueE9dOW4klNEkVQKsxbKZ3uoW7r/JEZgkzV
        nyAdX7St1Kcxx2sLeGBMGSPIfzx4GoX3m2Rj+ER8vstrjtY3QlYEIP6Aomiw/u78
        G7qXf1bguAZ5kHvgpeg/80sCgYEAkWkP6ph4ry5Tiom5nU4NFcjHDjcJfwEJZXIM
        gpa8lyode6XJBcmJVny6GA+mLfjI6e+m3im7a7yLA5/Jk1g15WmmuHrb24H+rJFk
        /9J0MUHzX8A9W+BWkBkvceprSxM2MfQ91bZAIRN6j3cCYDp4fCHdqPREhOTA571y
        nSBpE3MCgYA2Cuj+lhbEhngA5LFkIbEPOzZRxwMRIEjJjwIQsO1r12qJ8+QvaYi6
        4Qjip4cttKAi1enGXXB3dfUErfGyNx5wwxLX02JRIbqpMaP9exCfgXZvXwn2ieKo
        +xHH3UDex7cLG2hUFmTu8inBk5LUnwL4/OP6drz1gPMm9vo3dqi/UA==
        -----END RSA PRIVATE KEY-----
        """
    /// ``rsa`` with another modulus.
    static let rsaWrongModulus = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEAqgcTpvkQUiGguON/Cmjn9pqGM+ceRhVHYCB5CqgKuUTfSnoo
        4hyYF9xX/IVg0SGrEaV+F9fkkTYxH6+B8/pnS6s5IPl75QLZumKuyJjpJ75ULZrK
        tX9MSPagKy/lTNuZqEfJoAO20DS3QMLaaAfs0f6EaHGd3K3KXtp1KpyC2a2Zynoc
        TUs4clZ5VSfoJ2iRFD0p+guMwVo5p1TivR9w7QOftbULuO9LGRFA+Bd1bjkuZMxi
        tiFwA4WT6t9ynHEf2JrCflOgVck8vWmG0Nqu8T0AP9BIjKh++zceXazOMYFGaAaV
        4C+Rvc4TO0m8xKIYvfiI6j5ttzl4f4Ymvy86BQIDAQABAoIBAACTXIKdOZL8sfLh
        MLE2L+a9+UyH21oRN9KiQxxIfzT84+T60S6nlvJwjVyVCFm+4q6vdaIj445Q49yj
        V870V/dpYMADE6UwWpYfktpefb19eiAva0c403+HSEe1OfwDfsWYMRTLq647RHxv
        Sk/Z2iQ6waqSzGTPyxIC981+sz1WPIUNdCiMgkHxdhC0Nc/EAsvMT23fBuNAfskf
        qiKHJXWP+721yfA3fBUOZJVJB6hl40/85NIcD0XybIQAnPiL7fnZtg0Imq81kQrm
        uCSzU+bl+1ZLpLa+UZZXVX325pzWXWlch4rd662Fbl5CSO8U2yyOC17SqQaImeDv
        NWQwymECgYEA10eJkZstWojEkRtBxuy3+DwLaS9v5ICcM1Dm7mMyzyFUbDbz0JxF
        2v7atrSIVTBLOd9zlwOO3zXrqQXQgtMhDPWR54oD9hEHkj5RE892aT7GOJUj/2sG
        Voj0Ow2QAQ2t9M8ypahj4dS3DxxsLeAcHeMkK0DHITkYcu8MZrJz8nMCgYEAyjBQ
        fffQ+8vOy716AEqehWU4LAGKfFFSWUHbH74fgHZ5W9jalJtxafvoaP0CMprB4nH3
        gRTWkk/YokNeAhASq9ZfyiDy7bNfzuZxVsk2kW7XwcDs4GSPXuFkMFmU9Fdo3Dm5
        ZBt4qqdXNPWpwWbesTgI92FCBoOG0QDxCh0MZjECgYEA0t/cPajHcFtwUMNmVzkh
        rCME+m/hJu9kElA5JWI+Lu7zB118zueE9dOW4klNEkVQKsxbKZ3uoW7r/JEZgkzV
        nyAdX7St1Kcxx2sLeGBMGSPIfzx4GoX3m2Rj+ER8vstrjtY3QlYEIP6Aomiw/u78
        G7qXf1bguAZ5kHvgpeg/80kCgYEAkWkP6ph4ry5Tiom5nU4NFcjHDjcJfwEJZXIM
        gpa8lyode6XJBcmJVny6GA+mLfjI6e+m3im7a7yLA5/Jk1g15WmmuHrb24H+rJFk
        /9J0MUHzX8A9W+BWkBkvceprSxM2MfQ91bZAIRN6j3cCYDp4fCHdqPREhOTA571y
        nSBpE3ECgYA2Cuj+lhbEhngA5LFkIbEPOzZRxwMRIEjJjwIQsO1r12qJ8+QvaYi6
        4Qjip4cttKAi1enGXXB3dfUErfGyNx5wwxLX02JRIbqpMaP9exCfgXZvXwn2ieKo
        +xHH3UDex7cLG2hUFmTu8inBk5LUnwL4/OP6drz1gPMm9vo3dqi/UA==
        -----END RSA PRIVATE KEY-----
        """
    /// An RSA key of 1024 bits.
    static let rsa1024 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXAIBAAKBgQCpPyFmZ8z1aEiHSYIvudYu0w5X+rn9U5trqlBXMZYTLCCA/ksi
        qXk4JNfM/ICdYaqtE/wT3SS5B/HZ0LCywT7v3xxgPlfepzwVj6zuc5l2Xhyq4rWn
        jnEcWtOlkWD1hfncTp9JcNe2kjKGfFVwBsMvEw7AaG+x0fWj3s2+f/ui5wIDAQAB
        AoGAY5MO9Y8QmTn3ohDvlWDC0N2/zKdpEdBE2r1jc0lrQHBv1zTFw+jttsiGZsYQ
        bYfuwNHHN3CekHZKJpqPuzvS6Jztud36zfmMxlkvwVaRnyNXthiK8KLBGZDYa5b7
        6+ibICAW3ohdkKTuS/7hzByujiOM/7KjW6sauFAezGTJJgECQQDRncT2dQHQoT/2
        lL5VWpVI/H6ehr3Rz4G49s/unJha99CYCgQff++hfa5cEIF2PUGKlc1sd6qCPCex
        O2ldzx5nAkEAzrKFX3b105KCYXTAEgJzJ7JqORoY9ToRYk+WDE8zN5N4HMhZi9kh
        qDLQJqhelJhkoQfObi9pduhL3VIxaqOHgQJADsOWA+Xp4s/4uV1wqoJe0W03XeMP
        q595+5UmwB+3e3DI+Gx8LdvM/QrlJQbkl3dpDmHOvj0PfWzPPuR4X2sfMQJAdnUb
        OK3djoY9kIqvdOLQiiSW+ei5+vhvdA82aBGPwb8TLDOqFhq3TkTow+7kXXbE3QCz
        TrR/VbUlnU54oavcgQJBALgisBl/XOiphhhJbBd+Vx6mjTQF7zI/FUyzAyyOKNGb
        3WyMGCyzYCnQZt/Sksnp6Oi+KTpUHhUibEYO1iiz2R4=
        -----END RSA PRIVATE KEY-----
        """
    /// Its public key.
    static let rsa1024Public = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCpPyFmZ8z1aEiHSYIvudYu0w5X
        +rn9U5trqlBXMZYTLCCA/ksiqXk4JNfM/ICdYaqtE/wT3SS5B/HZ0LCywT7v3xxg
        PlfepzwVj6zuc5l2Xhyq4rWnjnEcWtOlkWD1hfncTp9JcNe2kjKGfFVwBsMvEw7A
        aG+x0fWj3s2+f/ui5wIDAQAB
        -----END PUBLIC KEY-----
        """
    /// An RSA key of 512 bits.
    static let rsa512Public = """
        -----BEGIN PUBLIC KEY-----
        MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAPfieKPu3VzYNky2rWSUW9p1WGSts/AS
        LdY+UgPtp2htc4Y3Hh5s0r6DmoaWU+9pPLvSOFoInwAtDK+wdSq5E1UCAwEAAQ==
        -----END PUBLIC KEY-----
        """
    /// A key for RSASSA-PSS only.
    static let pss = """
        -----BEGIN PRIVATE KEY-----
        MIIEuwIBADALBgkqhkiG9w0BAQoEggSnMIIEowIBAAKCAQEAkapGGnRbWsf2X2qb
        rmU4CsZO/HYSYmtlB87L7RZiwgWyEFjqu31t7jJhyUIwBA9CTRA6N5Mn062CxkLH
        91MxTJKILg8LbO8vBFQWUN/MMxLpuoSgJXIKBAgrXSOiSMo0Nm+KNUBbVTGs9CtZ
        pE9HteY3ivzKgygReqqWnXqMDp6gMkXpHMxoE7jmponlOL01fUuqjMDCFr/aC64y
        4Tczae6DOBad00fAbJ3Covor3mkq5tY+XHJTsH9R5iqhdoo9KBoeuFiodnxc7xXO
        5B93me5YB48SXjQzDyfeQ2npb1Mz2d7PNYlJLeBLqulblqYH6nmsNcIajdLlhqIA
        MI+KvQIDAQABAoIBABXRsF4Kk1uSC9LHlInHMiGVCmRRKFhTN2c3v/6jxYfEFCPU
        Odb7RxHwvIqJzkjxYzBJb7r+4S6ZNTdO7gabUM1kPp9NlBvNaRjIIq6bE0qMOPP+
        JUHuptbrRVmWeprWJQOJaiWnXfbxMbPCYZNV58s0sJmyW4BRamraLiTpJB0VRkcx
        tWJKafrOmb9WJ0RFkfWptR2ku/EDtymPsGcrSOaxaa592OILYXBb+9O0y0p/6fao
        K71vYy7oH7hCy1DEMzhoa8/JZ08qpzeMdKH3Om/tbX2PSG7+xcYO4tyk2zkJkjy9
        HnFSuutRm8RpT1X+VzSWx88FN951Fo6zMfsZPRECgYEAygAGcRFFO4BjI07Phwyy
        6TER0nnHSzEO/RZfyI6f3vyAbQmRDaLAm9kmikxms1g5plISBi7a6yo7a8K/aXT+
        Dz+5aHBghLI50pxCc4WEKPN2PgbqqarKLXo9Mh+cbfK7zco6We5KL6iRYyGdexLk
        i9F1U/W+cFqT6dDFd5uXrBECgYEAuJrwGvrI5yMtsWcafqdrPjdVTaTCntXliStX
        8p2mwnGvgZsC75d+/Mm5BdIE4IWHQFi0o/6LKw0edFFkzTcuzs4vdU8nl6lSjHTn
        p2AmHaOtAltSJyxERgmfwmCBmxHcKldY5+EJSBuKy0AWVtXKzWq50RtNb36KXhM9
        YCJMT+0CgYEAxvktXzSe2JSHkuDvpNyKYw8VuhiAif1iAUSHxvtOWQypyD3zJtZZ
        GWrV/sZxJ1nRN5aB8Js4wwpPi79CYrN+CjFABbMkL7GLKX0IK9iprNjccQ7JGaWF
        DzTokLX4lYjTG0uHHMyPQNCvnVEgWXnrrBn/k1tuYiemqVsfF8koprECgYA3J+vH
        U9jE3ojfcVvELcdoDmZJTYnspSHwquebEKlrfUYf5i2pYk1JwAetCoP0hVDU0+wc
        94ejNEc+H7eLbQpqNcaOOTkuIiQM3Tz9kEezIV0m0BwqohpABs4Z6HWw3FQ4vmJM
        3brFNZ1xftNt3HC8kT+1j3/CaT90PjFfUMAWPQKBgAqHZZoRi8LcDzNB4boz/Njh
        C/2Sv1S7k+bNs331wrxPQsFBHxy03r2VWUTHvBXgj5YdlBh4ZDsc7hWuGHQb4iA3
        9iyYp6OBoxfyM7oejFATZiJA1Zp0iB14BiKXorlHKcWbSDR0P8Pq5o95Q2i1TfsD
        DgEs5HU2ro/LJGmeGix1
        -----END PRIVATE KEY-----
        """
    /// Its public key.
    static let pssPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBAJGqRhp0W1rH9l9qm65lOArG
        Tvx2EmJrZQfOy+0WYsIFshBY6rt9be4yYclCMAQPQk0QOjeTJ9OtgsZCx/dTMUyS
        iC4PC2zvLwRUFlDfzDMS6bqEoCVyCgQIK10jokjKNDZvijVAW1UxrPQrWaRPR7Xm
        N4r8yoMoEXqqlp16jA6eoDJF6RzMaBO45qaJ5Ti9NX1LqozAwha/2guuMuE3M2nu
        gzgWndNHwGydwqL6K95pKubWPlxyU7B/UeYqoXaKPSgaHrhYqHZ8XO8VzuQfd5nu
        WAePEl40Mw8n3kNp6W9TM9nezzWJSS3gS6rpW5amB+p5rDXCGo3S5YaiADCPir0C
        AwEAAQ==
        -----END PUBLIC KEY-----
        """
}
