// Against the standards: RFC 9496 for ristretto255 (on both libraries), RFC 7919 for the modular groups.

import { checkPrimeSync, createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { everyGroup, seededBytes, utf8 } from '../../../test/support/crypto.ts'
import { insecureSmallGroup } from './insecure.ts'
import { bytesOf, integerOf } from './integers.ts'
import { bigintPower, legendre } from './residues.ts'
import { ristretto } from './ristretto.ts'
import { ristrettoNoble } from './ristretto-noble.ts'
import { residues2048, residues3072 } from './standard.ts'

const hexBytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const words = (text: string) => text.trim().split(/\s+/)

/** Appendix A.1: the generator taken 0 to 15 times. */
const MULTIPLES = words(`
  0000000000000000000000000000000000000000000000000000000000000000
  e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76
  6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919
  94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259
  da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57
  e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e
  f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403
  44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d
  903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c
  02622ace8f7303a31cafc63f8fc48fdc16e1c8c8d234b2f0d6685282a9076031
  20706fd788b2720a1ed2a5dad4952b01f413bcf0e7564de8cdc816689e2db95f
  bce83f8ba5dd2fa572864c24ba1810f9522bc6004afe95877ac73241cafdab42
  e4549ee16b9aa03099ca208c67adafcafa4c3f3e4e5303de6026e3ca8ff84460
  aa52e000df2e16f55fb1032fc33bc42742dad6bd5a8fc0be0167436c5948501f
  46376b80f409b29dc2b5f6f0c52591990896e5716f41477cd30085ab7f10301e
  e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e
`)

/** Appendix A.2: field elements not canonical, negative, no square, a negative product, and s = -1. */
const BAD_ENCODINGS = words(`
  00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
  f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
  edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
  0100000000000000000000000000000000000000000000000000000000000000
  01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
  ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20
  c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562
  c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78
  47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24
  f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72
  87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309
  26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371
  4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f
  de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b
  bcab477be20861e01e4a0e295284146a510150d9817763caf1a6f4b422d67042
  2a292df7e32cababbd9de088d1d1abec9fc0440f637ed2fba145094dc14bea08
  f4a9e534fc0d216c44b218fa0c42d99635a0127ee2e53c712f70609649fdff22
  8268436f8c4126196cf64b3c7ddbda90746a378625f9813dd9b8457077256731
  2810e5cbc2cc4d4eece54f61c6f69758e289aa7ab440b3cbeaa21995c2f4232b
  3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e
  a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220
  d483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e
  8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32
  32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b
  227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165
  5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e
  445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b
  ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
`)

/** Appendix A.3: SHA-512 of each line is mapped to the element beside it. */
const HASHED: readonly (readonly [text: string, element: string])[] = [
  [
    'Ristretto is traditionally a short shot of espresso coffee',
    '3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46',
  ],
  [
    'made with the normal amount of ground coffee but extracted with',
    'f26e5b6f7d362d2d2a94c5d0e7602cb4773c95a2e5c31a64f133189fa76ed61b',
  ],
  [
    'about half the amount of water in the same amount of time',
    '006ccd2a9e6867e6a2c5cea83d3302cc9de128dd2a9a57dd8ee7b9d7ffe02826',
  ],
  ['by using a finer grind.', 'f8f0c87cf237953c5890aec3998169005dae3eca1fbb04548c635953c817f92a'],
  [
    'This produces a concentrated shot of coffee per volume.',
    'ae81e7dedf20a497e10c304a765c1767a42d6e06029758d2d7e8ef7cc4c41179',
  ],
  [
    'Just pulling a normal shot short will produce a weaker shot',
    'e2705652ff9f5e44d3e841bf1c251cf7dddb77d140870d1ab2ed64f1a9ce8628',
  ],
  ['and is not a Ristretto as some believe.', '80bd07262511cdde4863f8a7434cef696750681cb9510eea557088f76d9e5065'],
]

/** Appendix A.3, the end: field elements that are not reduced, all mapped to one element. */
const SAME = '304282791023b73128d277bdcb5c7746ef2eac08dde9f2983379cb8e5ef0517f'
const MAPPED_TO_THE_SAME = [
  `ed${'ff'.repeat(31)}12${'00'.repeat(31)}`,
  `ed${'ff'.repeat(30)}7f${'ff'.repeat(32)}`,
  `${'00'.repeat(31)}80${'ff'.repeat(31)}7f`,
  `${'00'.repeat(32)}12${'00'.repeat(30)}80`,
]

const implementations = [
  { title: 'libsodium', group: await ristretto() },
  { title: 'noble', group: ristrettoNoble() },
]

describe.each(implementations)('ristretto255 on $title (RFC 9496)', ({ group }) => {
  it('the first sixteen multiples of the generator (A.1)', () => {
    for (const [times, expected] of MULTIPLES.entries()) {
      expect(group.multiplyBase(group.scalar(BigInt(times)))).toEqual(hexBytes(expected))
      expect(group.multiply(group.generator, group.scalar(BigInt(times)))).toEqual(hexBytes(expected))
      expect(group.decode(hexBytes(expected))).toEqual(times === 0 ? undefined : hexBytes(expected))
    }
  })
  it('all 29 bad encodings are refused (A.2)', () => {
    expect(BAD_ENCODINGS).toHaveLength(29)
    expect(BAD_ENCODINGS.filter(bad => group.decode(hexBytes(bad)) !== undefined)).toEqual([])
  })
  it('the map from uniform bytes (A.3)', () => {
    for (const [text, expected] of HASHED) {
      const digest = createHash('sha512').update(text).digest()
      expect(group.fromUniformBytes(new Uint8Array(digest)), text).toEqual(hexBytes(expected))
    }
    for (const input of MAPPED_TO_THE_SAME) expect(group.fromUniformBytes(hexBytes(input))).toEqual(hexBytes(SAME))
  })
})

it('the two implementations of ristretto255 agree byte for byte', () => {
  const [sodium, noble] = implementations.map(({ group }) => group) as [typeof group, typeof group]
  const group = implementations[0]!.group
  const draws = [seededBytes(11), seededBytes(11)] as const
  for (let run = 0; run < 10; run++) {
    const x = sodium.randomScalar(draws[0])
    expect(noble.randomScalar(draws[1])).toEqual(x)
    const message = utf8(`message ${run}`)
    const element = sodium.hashToElement('agreement', message)
    expect(noble.hashToElement('agreement', message)).toEqual(element)
    expect(noble.hashToScalar('agreement', message)).toEqual(sodium.hashToScalar('agreement', message))
    expect(noble.multiply(element, x)).toEqual(sodium.multiply(element, x))
    expect(noble.multiplyBase(x)).toEqual(sodium.multiplyBase(x))
    expect(noble.subtract(element, noble.generator)).toEqual(sodium.subtract(element, sodium.generator))
    expect(noble.invertScalar(x)).toEqual(sodium.invertScalar(x))
    expect(noble.multiplyScalars(x, x)).toEqual(sodium.multiplyScalars(x, x))
  }
  expect([noble.name, noble.order, noble.generator]).toEqual([sodium.name, sodium.order, sodium.generator])
})

describe('squares modulo a standard prime (RFC 7919)', () => {
  /** Appendix A.1, as printed. */
  const FFDHE2048 = words(`
    FFFFFFFF FFFFFFFF ADF85458 A2BB4A9A AFDC5620 273D3CF1 D8B9C583 CE2D3695 A9E13641 146433FB CC939DCE 249B3EF9
    7D2FE363 630C75D8 F681B202 AEC4617A D3DF1ED5 D5FD6561 2433F51F 5F066ED0 85636555 3DED1AF3 B557135E 7F57C935
    984F0C70 E0E68B77 E2A689DA F3EFE872 1DF158A1 36ADE735 30ACCA4F 483A797A BC0AB182 B324FB61 D108A94B B2C8E3FB
    B96ADAB7 60D7F468 1D4F42A3 DE394DF4 AE56EDE7 6372BB19 0B07A7C8 EE0A6D70 9E02FCE1 CDF7E2EC C03404CD 28342F61
    9172FE9C E98583FF 8E4F1232 EEF28183 C3FE3B1B 4C6FAD73 3BB5FCBC 2EC22005 C58EF183 7D1683B2 C6F34A26 C1B2EFFA
    886B4238 61285C97 FFFFFFFF FFFFFFFF
  `).join('')
  const modulusOf = (group: { order: bigint }) => 2n * group.order + 1n

  it('ffdhe2048 is the prime of appendix A.1', () => {
    expect(modulusOf(residues2048())).toBe(BigInt(`0x${FFDHE2048}`))
  })
  it('ffdhe3072 shares the digits of e and ends as appendix A.2 prints', () => {
    const hex = modulusOf(residues3072()).toString(16).toUpperCase()
    expect(hex).toHaveLength(768)
    expect(hex.slice(0, 480)).toBe(FFDHE2048.slice(0, 480))
    expect(hex.slice(-48)).toBe('3C1B20EE3FD59D7C25E41D2B66C62E37FFFFFFFFFFFFFFFF')
  })
  it.each([residues2048(), residues3072(), insecureSmallGroup()])('$name: prime and half of it prime', group => {
    // By Fermat's little theorem: the formula says that they are, and a wrong digit would show here.
    for (const prime of [modulusOf(group), group.order]) {
      for (const base of [2n, 3n]) expect(bigintPower(prime)(base, prime - 1n)).toBe(1n)
    }
  })
  it('the small prime is the largest safe one below 2^61', () => {
    let candidate = 2n ** 61n - 1n
    while (!(checkPrimeSync(candidate) && checkPrimeSync((candidate - 1n) / 2n))) candidate -= 2n
    expect(modulusOf(insecureSmallGroup())).toBe(candidate)
  })

  it.each([residues2048(), insecureSmallGroup()])('$name refuses what is no square, zero, and minus one', group => {
    const modulus = modulusOf(group)
    const bytes = (value: bigint) => bytesOf(value, group.elementBytes, 'highFirst')
    expect(group.decode(bytes(0n))).toBeUndefined()
    expect(group.decode(bytes(modulus - 1n))).toBeUndefined()
    expect(group.decode(bytes(modulus))).toBeUndefined()
    for (let value = 2n; value < 12n; value++) {
      const square = bytes(value * value)
      expect(group.decode(square)).toEqual(square)
      // Modulo a safe prime the negative of a square is none: this ticket would be told from the others by its symbol.
      expect(group.decode(bytes(modulus - value * value))).toBeUndefined()
    }
  })
  it('elements plus the modulus are another encoding, and refused', () => {
    const group = insecureSmallGroup()
    const again = integerOf(group.generator, 'highFirst') + modulusOf(group)
    expect(group.decode(bytesOf(again, group.elementBytes, 'highFirst'))).toBeUndefined()
  })
  it('generators and hashed tickets are neither 1 nor -1 (readings OMA 10)', async () => {
    for (const { group } of await everyGroup()) {
      expect(group.generator).not.toEqual(group.identity)
      expect(group.add(group.generator, group.generator)).not.toEqual(group.identity)
    }
  })
})

describe('modular powers and symbols against a dumb twin', () => {
  const modulus = 1019n
  it('powers', () => {
    const power = bigintPower(modulus)
    for (const base of [2n, 3n, 1017n]) {
      let expected = 1n
      for (let exponent = 1n; exponent < modulus; exponent++) {
        expected = (expected * base) % modulus
        expect(power(base, exponent)).toBe(expected)
      }
    }
  })
  it('Legendre symbols', () => {
    const squares = new Set(Array.from({ length: 1018 }, (_, root) => BigInt(root + 1) ** 2n % modulus))
    for (let value = 1n; value < modulus; value++) expect(legendre(value, modulus)).toBe(squares.has(value) ? 1 : -1)
    expect(legendre(0n, modulus)).toBe(0)
  })
})
