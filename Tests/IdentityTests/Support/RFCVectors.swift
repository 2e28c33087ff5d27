/// The examples that the RFCs print, as JSON, PEM (the same numbers) and tokens.
enum RFCVectors {
    /// The public key of RFC 7515 appendix A.2.
    static let appendixA2Key = #"""
        {"kty":"RSA",
        "n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm\#
        4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMd\#
        bBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DW\#
        NmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
        "e":"AQAB"}
        """#

    /// The token of RFC 7515 appendix A.2 (RS256).
    static let appendixA2 =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9"
        + "pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Q"
        + "c_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARN"
        + "PvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6I"
        + "eYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

    /// The public key of RFC 7515 appendix A.3.
    static let appendixA3Key = #"""
        {"kty":"EC",
        "crv":"P-256",
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """#

    /// The token of RFC 7515 appendix A.3 (ES256).
    static let appendixA3 =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9"
        + "pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqP"
        + "P3-Kg6NU1Q"

    /// The elliptic-curve key of RFC 7517 appendix A.1, which is for encryption.
    static let keySetEC = #"""
        {"kty":"EC",
        "crv":"P-256",
        "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        "use":"enc",
        "kid":"1"}
        """#

    /// The RSA key of RFC 7517 appendix A.1.
    static let keySetRSA = #"""
        {"kty":"RSA",
        "n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJEC\#
        PebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368\#
        QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2N\#
        cRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
        "e":"AQAB",
        "alg":"RS256",
        "kid":"2011-04-29"}
        """#

    /// The private elliptic-curve key of RFC 7517 appendix A.2.
    static let keySetPrivateEC = #"""
        {"kty":"EC",
        "crv":"P-256",
        "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        "d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
        "use":"enc",
        "kid":"1"}
        """#

    /// The private key of RFC 7516 appendix A.1.
    static let encryptionA1Key = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQChqFQihbDQrS6w
        o245HofjCR/igFRcdPFG+BvjwT4FW/GR4M2NsLiF7ytRZwmhmZ2zaHszvSKYRWFF
        Tl2Mg1e2qWVcjgMWpwjUOCNP0t7A0PwxbYqt/dKmyT9mSgWeKVqQbKBPClne56wf
        48UAE0hRik6I3Xl2xBGSCvS8SHE33aLZqxs56dJl7JrHOIrvZTDGusqgTG/qRzm3
        BdOriH5AKEs6WfT+a1RnB+xFoxK0+zqZLpeuDGfFtaGiN/rre24RC54YL4UIx+tr
        foL2ScMUbMqw1rstkrZ2NiDIPclH8wH/g1Qlb9Oo5C3AdhvF6+gkCub4vlK2jCPM
        bL79urobAgMBAAECggEBAJC3bSI+hmw5LPwKQkk2ELXpXDbbZSojsj8zK1x3iPsp
        NRe/pKQ8WOPlmOTVleSp7WhHl0tY/NhN++ccYVjB18r42HnD0/X6cEfzPYFfJ/R6
        4dmp06Uw/dw7etsqVt8g7CcwZ0562LtYsFkYASqxGGOOqgGSKwNsQMJ5tl+7hkdY
        YIZKg6dFao95G0gs9V8nwrOvy3oQcLcRyMofEYqcuNKduJqDgG4MVcN68U/75bd1
        FXuFjtyZCTs5aVH/ik1SNj7YJvnQEcUxLRPonfuDia9IfivlRbN1Up3VUyM50sX8
        q4/CCy+jBv1L/GALu1SC0gd5TltPOfuKhNw84K044MkCgYEA1r52Xk46c+LsfB5P
        442p7atdPUrxQSy4mti/tZI3Mgf2EuFVbUoDBvaRQ+SWxkbkmoEzL7JXroSBjSrK
        3YIQgYdMgyAEPTPjXv/hI2/1eTSPVZfzL0lffNn03IXqWF5MDFuoUYE0hzb2vhrl
        N/rKrbfDIwUbTrjjgieRbwC6Cl0CgYEAwLb35x7hmQWZsWJmB/vle87ihgZ19S8l
        BEROLIsZG4ayZVe9Hi9gDVCOBmUDdaDYVTSNx/8Fyw1YYa9XGrGnDew00J28cRUo
        eBB/jKI1oma0Orv1T9aXIWxKwd4gvxFImOWr3QRL9KEBRzk2RatUBnmDZJTIAfwT
        s0g68UZHvtcCgYBkr5jATt2JSHSpHW1HvDxYe2iUPHcxn85OjCIW+B95DdKKt6xe
        Ob2BnkouExe+j67P4pQlYPFLmkVD8zR692jV0qJFONXD/Hg3KrJc8zmdQs+RylTz
        buuelnMAkql2FYCCqtcYoAQJAfRe3i1rOeOd3/NWkCZlmrrRY8wEx8py4QKBgA6t
        IH4CdQ3RRl4i70BGZ7ihDdFFJrCQcZI8nXN4+GWHQYjEQMvOsdLxwo8sHDJWGIOM
        qAuGGWvYTVXLI6gNxXoi9fa5PIOkJ9vU7dHI/Kqshac/bzQwVHwgIiVXhEjoyQ2T
        2B3R2PL9W/qPmdl+bby8fkwnpH+6Mcnig1Kilo4rAoGAVIMpMYbPf47dT1w/zDUX
        fPimsSegnMOA1zTaX7aGk/8urY6R8+ZW1FxU7AlWAyLWybqq6t16VFd7hQd0y6fl
        UK4SlOydB61gwanOsXGOAOv82cHq0E3eL4HrtZkUuKvnPrMnsUUFlfUdybVzxyjz
        9JF/XyaY14ardLSjf4L/FNY=
        -----END PRIVATE KEY-----

        """

    /// The token of RFC 7516 appendix A.1 (RSA-OAEP, A256GCM).
    static let encryptionA1 =
        "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZKTyKOMTYUmKoTCVJR"
        + "gckCL9kiMT03JGeipsEdY3mx_etLbbWSrFr05kLzcSr4qKAq7YN7e9jwQRb23nfa6c9d-StnImGyFDbSv04uVuxIp5Zms1gN"
        + "xKKK2Da14B8S4rzVRltdYwam_lDp5XnZAYpQdb76FdIKLaVmqgfwX7XWRxv2322i-vDxRfqNzo_tETKzpVLzfiwQyeyPGLBI"
        + "O56YJ7eObdv0je81860ppamavo35UgoRdbYaBcoh9QcfylQr66oc6vFWXRcZ_ZT2LawVCWTIy3brGPi6UklfCpIMfIjf7iGd"
        + "XKHzg.48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3a"
        + "jwQzaBtQD_A.XFBoMYUZodetZdvTiFvSkQ"

    /// The token of RFC 7516 appendix A.3, whose content appendix B decrypts (A128CBC-HS256).
    static let encryptionA3 =
        "eyJhbGciOiJBMTI4S1ciLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.6KB707dM9YTIgHtLvtgWQ8mKwboJW3of9locizkDTHzB"
        + "C2IlrT1oOQ.AxY8DCtDaGlsbGljb3RoZQ.KDlTtXchhZTGufMYmOYGS4HffxPSUrfmqCHXaI9wOGY.U0m_YmjN04DJvceFIC"
        + "bCVQ"

    /// The public key of RFC 7520 section 3.3, which section 4.1 uses.
    static let cookbook41Key = #"""
        {"kty":"RSA",
        "kid":"bilbo.baggins@hobbiton.example",
        "use":"sig",
        "n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJm\#
        SCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfH\#
        d1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS\#
        2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw",
        "e":"AQAB"}
        """#

    /// The token of RFC 7520 section 4.1 (RS256).
    static let cookbook41 =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb3V"
        + "zIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHl"
        + "vdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9"
        + "mZiB0by4.MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp8"
        + "3xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6"
        + "x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI"
        + "-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg"

    /// The key of RFC 7520 section 3.5.
    static let cookbook44Key = "hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg"

    /// The token of RFC 7520 section 4.4 (HS256).
    static let cookbook44 =
        "eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9.SXTigJlzIGEgZGF"
        + "uZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5"
        + "kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN"
        + "3ZXB0IG9mZiB0by4.s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0"

    /// The private key of RFC 7520 section 5.2.
    static let cookbook52Key = """
        -----BEGIN PRIVATE KEY-----
        MIIJQwIBADANBgkqhkiG9w0BAQEFAASCCS0wggkpAgEAAoICAQDBt3EjnlVpqdlc
        9jb0uDmF2a/ZeG+oCGjFSRqd/N/b7nNVTFrqmsdGsjik/UCGiolGVl9i1ZZ3maYd
        EbakAciWHTJIn3CLQGKhkGXVc/Z74L4XJckZxPLQd0pBaWt+FObjYRbtW/TiviB9
        qjq7GMsbB+katktquiGJYI+eQ2uDvVLYK41lJAEg8aNd+SYjLa2X9VaAacvbYamX
        JePliUEt3Fendd5K2yqjnvW601+hRNTwTip3MndTUMi2hWQ8awzCWaacmLADuxdE
        i0EKK9Hgzmqdm13D7u/ha5Hjvv25sO4nmdqUy/ZLrr5E9ycUDNZIrG0EOcUkkMYh
        R7tPOLOODWeazRer/I+5v9Q6VafR5zzkUJ+3WEAKlYbyxyGs4F42ocE4MWyRilRz
        YsLkkDZNo8XZ0Drt2DVNOwL8W6l9DaQ0ZwTUuCmvEodxVZhBvzoH4ejOMdlyq1q4
        HMU1Xm1tO4H5OmRy8l81wUuUfdvyZv4f+jHfkWOoFICMsrKh6p8pOlWO9eF3T2Sf
        CAl/pUqrpQLjXz9M6WMxV8VNZdTGWd+E46fNbodJLMPVz1asK5XOxQy/nizOJ1D3
        B/VxhZ/eDmoUPENAqKz32BwNqIIDAzfIQEjO4154Jrl1qu0cNvXEQH8dwdJ5huCF
        syMZ9qy8qfRplGydPILTGFYGWyiVkQIDAQABAoICAQCft/Mlzf9Ybn1UQ4FORrLO
        5IwzvzQ4lC5mM38psfyU5kbblmgDtPgHFxzTFCfmhkTm5IIjCD3WgK3Qm/E9ymar
        NolmDWeKuNxZn6gG1WTuAIBar4HeqF8XeLOVuSiyvOMdqMhxjfccGGzLj9Z6uteD
        gwM0TgdiiPLrxNzFPYthBHFQ4J/lO0le8zyiV7GVIa1WdCcNG63ERQLCJ7B+aat+
        94SiAvH0QD4oyACNOIhJfGohdCFZRBfUbu/+ZX8evZi4iZhw1weRG+n0TuiiTTzv
        oOGQ7y/hQ5kvADU6VRf3yaSirBznwD9jaUFhtXHX+zmWk+wSptsf6eoiOHV8vSB0
        1+KEvGdyVa1bukLO0uciZkDJ4JYAbtkh+/5Gf18si/2Nnqvuv4xIf2ypu7OIc3aC
        saMP+N9GW4wdrSXzh8UqXptyo3UlbE9WHM1mjTXIMX7UuJCepRhJ6k9/pfdrZI52
        SoFGKq4ToS8u5JggOkmreMMiyCgvwyjUuiiaCInFTAv8ZYQ4a7byCmXLOb71DRTS
        fKER/W6FJHxokBBYCIUiZYflb8hBP0jv7KuKd2v/Z9ZD+LVSAywbMDto4bNl8+WN
        HLrP61j8q4EbTT7bxL9pa+PJRz4CWnwBTIqMFn7sJYffZ8ZYrjyPW37OiavCMv+a
        eGw9sazRz1axaBHMj4ryAQKCAQEA7/2v3OQZzlPFcHyYfLABQ3XP85Es4hCdwCkb
        DeltaUXgVy9l9etKghvM4hRkOvbb01kYVuLFmxIkCDtpi+zLCYAdXKrAK3PtSbtz
        ld/XZ9nlsYa/QZWpXB/IrtFjVfdKUdMz94pHUhFGFj7nr6NNxfpiHSHWFE1zD/AC
        3mY46J961Y2LRnreVwAGNw53p07Db8yD/92pDa97vqcZOdgtybH9q6uma+RFNhO1
        AoiJhYZj69hjmMRXx+x56HO9cnXNbmzNSCFCKnQmn4GQLmRj9sfbZRqL94bbtE4/
        e0Zrpo8RNo8vxRLqQNwIy85fc6BRgBJomt8QdQvIgPgWCv5HoQKCAQEAzqOHk1P6
        WN/rHuM7ZF1cXH0x6RuOHq67WuHiSknqQeefGBA9PWs6ZyKQCO+O6mKXtcgE8/Q/
        hA2kMRcKOcvHil1hqMCNSXlflM7WPRPZu2qCDcqssd/uMbP+DqYthH/EzwL9KnYo
        H7JQFxxmcv5An8oXUtTwk4knKjkIYGRuUwfQTus0w1NfjFAyxOOiAQ37ussIcE6C
        6ZSsM3n41UlbJ7TCqewzVJaPJN5cxjySPZPD3Vp01a9YgAD6a3IIaKJdIxJS1Imn
        fPevSJQBE79+EXe2kSwVgOzvt+gsmM29QQ8veHy4uAqca5dZzMs7hkkHtw1z0jHV
        90epQJJlXXnH8QKCAQEA19oDkBh1AXelMIxQFm2zZTqUhAzCIr4xNIGEPNoDt1jK
        83/FJA+xnx5kA7+1erdHdms/Ef67HsONNv5A60JaR7w8LHnDiBGnjdaUmmuO8XAx
        QJ/ia5mxjxNjS6E2yD44USo2JmHvzeeNczq25elqbTPLhUpGo1IZuG72FZQ5gTjX
        oTXC2+xtCDEUZfaUNh4IeAipfLugbpe0JAFlFfrTDAMUFpC3iXjxqzbEanflwPvj
        6V9iDSgjj8SozSM0dLtxvu0LIeIQAeEgT/yXcrKGmpKdSO08kLBx8VUjkbv/3Pn2
        0Gyu2YEuwpFlM/H1NikuxJNKFGmnAq9LcnwwT0jvoQKCAQBLqnn0quWbMbNpBhAz
        ejRd8cIa9+octiMI7nnsdhB/vY72QswJ93/VUESp4P7WOPAQsoONyTyQ4GXlS+iE
        rWgN9I/UOV4DL5yeYvb0OpaaGDAzWKnQII2aSayYNKWqRRcOLqwBpm6e3K6TJ+Uj
        6pJDcL8Fp8/IVoqu3V+B3ITBhrTykRIrDBaKzLsqeahS9ondJoeaiEVLvxMnblx9
        zXTBn2FA06sgKFmWSI50UK3EOp2YKo1pyeGATdtlCManefzc4NLP3PAlxJS84OVc
        E9zYDJwfoKLnKNvG3g+mjH/mmObrGdCSI+CPTUamxSywyYE3uIdWysTs3aLOcE0J
        45QhAoIBABWYQpQTMsFVY57lLnftOaneQmFNHSu/WpAIMvaF+kV+iNyCCD3JAnIk
        a6JMYJWZ/qJgGOQpwnuCna54xTk+WFGROxvz4OOF4Al2mqy0H+IZfNKDxH+voyeS
        MusD0cextnvKi8Z4fXDnX/pEaoDktxePFHL8N5muVeihjMEKlhXld9V7WfJeXFSP
        iNzcwUu6pbaVFYM9ibtNtXsnOyJaoM0ffKijjZduw7hBEtGitFhPe457Mjtu2KfP
        FmtkYgaxKHDPPUGSNbHiYhg4sx0VD+FGccPc7F8MOOsMtD+n/YK52Ke7fC5Mgw5P
        HqCOCl+kjTDVXMlUvSFo5avBM6mRCiA=
        -----END PRIVATE KEY-----

        """

    /// The token of RFC 7520 section 5.2 (RSA-OAEP, A256GCM).
    static let cookbook52 =
        "eyJhbGciOiJSU0EtT0FFUCIsImtpZCI6InNhbXdpc2UuZ2FtZ2VlQGhvYmJpdG9uLmV4YW1wbGUiLCJlbmMiOiJBMjU2R0NN"
        + "In0.rT99rwrBTbTI7IJM8fU3Eli7226HEB7IchCxNuh7lCiud48LxeolRdtFF4nzQibeYOl5S_PJsAXZwSXtDePz9hk-Bbts"
        + "TBqC2UsPOdwjC9NhNupNNu9uHIVftDyucvI6hvALeZ6OGnhNV4v1zx2k7O1D89mAzfw-_kT3tkuorpDU-CpBENfIHX1Q58-A"
        + "ad3FzMuo3Fn9buEP2yXakLXYa15BUXQsupM4A1GD4_H4Bd7V3u9h8Gkg8BpxKdUV9ScfJQTcYm6eJEBz3aSwIaK4T3-dwWpu"
        + "BOhROQXBosJzS1asnuHtVMt2pKIIfux5BC6huIvmY7kzV7W7aIUrpYm_3H4zYvyMeq5pGqFmW2k8zpO878TRlZx7pZfPYDSX"
        + "ZyS0CfKKkMozT_qiCwZTSz4duYnt8hS4Z9sGthXn9uDqd6wycMagnQfOTs_lycTWmY-aqWVDKhjYNRf03NiwRtb5BE-tOdFw"
        + "CASQj3uuAgPGrO2AWBe38UjQb0lvXn1SpyvYZ3WFc7WOJYaTa7A8DRn6MC6T-xDmMuxC0G7S2rscw5lQQU06MvZTlFOt0Uvf"
        + "uKBa03cxA_nIBIhLMjY2kOTxQMmpDPTr6Cbo8aKaOnx6ASE5Jx9paBpnNmOOKH35j_QlrQhDWUN6A2Gg8iFayJ69xDEdHAVC"
        + "GRzN3woEI2ozDRs.-nBoKLH0YkLZPSI9.o4k2cnGN8rSSw3IDo1YuySkqeS_t2m1GXklSgqBdpACm6UJuJowOHC5ytjqYgRL"
        + "-I-soPlwqMUf4UgRWWeaOGNw6vGW-xyM01lTYxrXfVzIIaRdhYtEMRBvBWbEwP7ua1DRfvaOjgZv6Ifa3brcAM64d8p5lhhN"
        + "cizPersuhw5f-pGYzseva-TUaL8iWnctc-sSwy7SQmRkfhDjwbz0fz6kFovEgj64X1I5s7E6GLp5fnbYGLa1QUiML7Cc2Gxg"
        + "vI7zqWo0YIEc7aCflLG1-8BboVWFdZKLK9vNoycrYHumwzKluLWEbSVmaPpOslY2n525DxDfWaVFUfKQxMF56vn4B9QMpWAb"
        + "nypNimbM8zVOw.UCGiqJxhBI3IFVdPalHHvA"

    /// The private key of RFC 7520 section 5.5.
    static let cookbook55Key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr/kHyZ+a06rmxM3y
        ESK84r1otSg+aQcVStkRhA+iCM+hRANCAARl7aWhJXfCuugpQ3/jOHAaEKqjdeG7
        W13hCN5DnAhVHR5S7XVwEWP3+eQN3580Gz3JuoYK9+DKfKfp7s0AhNGc
        -----END PRIVATE KEY-----

        """

    /// The token of RFC 7520 section 5.5 (ECDH-ES, A128CBC-HS256).
    static let cookbook55 =
        "eyJhbGciOiJFQ0RILUVTIiwia2lkIjoibWVyaWFkb2MuYnJhbmR5YnVja0BidWNrbGFuZC5leGFtcGxlIiwiZXBrIjp7Imt0"
        + "eSI6IkVDIiwiY3J2IjoiUC0yNTYiLCJ4IjoibVBVS1RfYkFXR0hJaGcwVHBqanFWc1AxclhXUXVfdndWT0hIdE5rZFlvQSIs"
        + "InkiOiI4QlFBc0ltR2VBUzQ2ZnlXdzVNaFlmR1RUMElqQnBGdzJTUzM0RHY0SXJzIn0sImVuYyI6IkExMjhDQkMtSFMyNTYi"
        + "fQ..yc9N8v5sYyv3iGQT926IUg.BoDlwPnTypYq-ivjmQvAYJLb5Q6l-F3LIgQomlz87yW4OPKbWE1zSTEFjDfhU9IPIOSA9"
        + "Bml4m7iDFwA-1ZXvHteLDtw4R1XRGMEsDIqAYtskTTmzmzNa-_q4F_evAPUmwlO-ZG45Mnq4uhM1fm_D9rBtWolqZSF3xGNN"
        + "kpOMQKF1Cl8i8wjzRli7-IXgyirlKQsbhhqRzkv8IcY6aHl24j03C-AR2le1r7URUhArM79BY8soZU0lzwI-sD5PZ3l4NDCC"
        + "ei9XkoIAfsXJWmySPoeRb2Ni5UZL4mYpvKDiwmyzGd65KqVw7MsFfI_K767G9C9Azp73gKZD0DyUn1mn0WW5LmyX_yJ-3ARO"
        + "q8p1WZBfG-ZyJ6195_JGG2m9Csg.WCCkNa-x4BeB9hIDIfFuhg"

    /// The content of RFC 7520 section 5.
    static let cookbookContent =
        "You can trust us to stick with you through thick and thin–to the bitter end. And you can trust u"
        + "s to keep any secret of yours–closer than you keep it yourself. But you cannot trust us to let y"
        + "ou face trouble alone, and go off without a word. We are your friends, Frodo."

    /// Z of RFC 7518 appendix C, as base64url.
    static let agreementSecret = "nlbZHYFxNdNyg0KDv4QmnPsxbqPagGpI9tqneYz-kMQ"
}
