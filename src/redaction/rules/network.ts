import { endsEscape, isAlnum, isDigit, isHex, wordsBefore } from '../characters.ts';
import { decidedBy, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isPublicIpv4 } from '../validators.ts';

/** Addresses of machines, which lead to their users. */

const VERSION_WORD =
  /(?:version|release|build|ver|chrome|firefox|safari|edge|agent|upgrade[ds]?(?: to)?|bump(?:ed|ing)?|section|chapter|rfc ?\d{3,5},|rev|\bv)[ /:="'@-]{0,3}$/i;

/** `LibreOffice/25.2.6.2`: of a program (RFC 9110, 10.1.5), whose parts are small; an address may stand behind a host. */
const PRODUCT = /(?:^|[\s(;"'])[A-Z][A-Za-z]{0,17}[a-z][A-Za-z]{0,17}\/$/;

/** Of a machine, or of what is done with one. */
const MACHINE_WORD =
  /(?:\b|_)(?:ips?(?:v4)?|inet|addr|address(?:es)?|hosts?|servers?|clients?|peers?|nodes?|dns|nameserver|resolver|gateway|router|route|subnet|network|cidr|proxy|remote|source|src|dst|dest(?:ination)?|from|via|ping|ssh|scp|curl|wget|telnet|nc|dig|traceroute|connect(?:ed|ing|ion)?|listen(?:ing)?|bind|bound|allow|deny|block(?:ed)?|ban(?:ned)?|login)\b[\w"' :=.,[(\\-]{0,12}$|\/\/|[\w-]@$/i;

/**
 * Two parts of one digit and none of three: one address in 700 is so, and most numbers of releases and sections.
 * @param behind the first characters
 */
function isVersion(parts: readonly string[], before: string, behind: string): boolean {
  if (parts.some((part) => part.length > 2) || parts.filter((part) => part.length === 1).length < 2)
    return false;
  return !/^[:/]\d/.test(behind) && !MACHINE_WORD.test(before);
}

function findIpv4(text: string, at: number): Span | undefined {
  let dot = at + 1;
  while (dot < at + 3 && isDigit(text.charCodeAt(dot))) dot++;
  if (text.charCodeAt(dot) !== DOT) return undefined;
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![\w.-]*[\w-])/.exec(text.slice(at, at + 24));
  if (!match) return undefined;
  const before = wordsBefore(text, at, 32);
  if (/[\w.-]$/.test(before) || VERSION_WORD.test(before)) return undefined;
  const parts = match.slice(1, 5);
  if (PRODUCT.test(before) && parts.every((part) => part.length < 3)) return undefined;
  if (!isPublicIpv4(parts.map(Number))) return undefined;
  const end = at + parts.join('.').length;
  return isVersion(parts, before, text.slice(end, end + 2)) ? undefined : { start: at, end };
}

const DOT = 46;

/** In a longer number, a name or a path. Asked of each time of day, it makes no text. */
function isGlued(text: string, at: number): boolean {
  return /[\w:.-]/.test(text.charAt(at - 1)) && !endsEscape(text, at);
}

/** Of one link, one site or a group of machines (RFC 4291, RFC 4193). */
const LOCAL = /^(?:f[cdf]|fe[89a-f])[\da-f]*:/i;

/** Global unicast, 2000::/3, and other addresses written out in eight groups. `at` is the colon behind the first group. */
function findIpv6(text: string, at: number): Span | undefined {
  let start = at;
  while (start > at - 4 && isHex(text.charCodeAt(start - 1))) start--;
  if (isGlued(text, start)) return undefined;
  const match = /^[0-9a-f:]{6,40}/i.exec(text.slice(start, start + 48));
  const address = match?.[0].replace(/:$/, '') ?? '';
  const groups = address.split(':');
  const short = address.includes('::');
  if (short ? !/^[23][\da-f]{3}:/i.test(address) : LOCAL.test(address)) return undefined;
  if (short ? groups.length > 8 || address.split('::').length > 2 : groups.length !== 8) return undefined;
  // A fingerprint of eight bytes is none.
  if (!short && groups.every((group) => group.length === 2)) return undefined;
  if (groups.some((group) => group.length > 4) || isAlnum(text.charCodeAt(start + address.length)))
    return undefined;
  return { start, end: start + address.length };
}

/** Six bytes as IEEE 802 and EUI-48 are written, and three groups of four digits, as on switches; all of one digit is nobody's. */
const MAC =
  /^(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|(?=[\d.]*[a-f])(?:[\da-f]{4}\.){2}[\da-f]{4}|(?=[\d.]*[a-f])(?:[\da-f]{2}\.){5}[\da-f]{2})(?![\w:-]|\.\w)/i;
const NOBODY = /^(?:([0f])\1[:.-]?)+$/i;

/** @param length of the first group, behind which `at` is: so long is the second one, and the same sign stands behind it */
function findMac(text: string, at: number, length: number): Span | undefined {
  if (text.charCodeAt(at + length + 1) !== text.charCodeAt(at)) return undefined;
  const start = at - length;
  if (start < 0 || isGlued(text, start)) return undefined;
  const found = MAC.exec(text.slice(start, start + 20))?.[0];
  return found === undefined || NOBODY.test(found) ? undefined : { start, end: start + found.length };
}

export const NETWORK_RULES: readonly Rule[] = [
  {
    id: 'ipv4',
    kind: 'IP',
    trigger: 'number',
    find: decidedBy(WITHIN_WORD, findIpv4),
    examples: {
      hits: ['from host ⟦203.0.113.9⟧.', 'http://⟦198.51.100.7⟧:80/'],
      misses: [
        '127.0.0.1',
        '10.1.2.3',
        'version 1.2.3.4',
        "oid('2.5.29.19')",
        'RFC 5280, 4.1.2.2',
        '1.2.3.4.5',
        '98.0.2594.145',
        'base-passwd (2.0.3.5) unstable',
        'of at-spi2-core 2.39.90.1:',
      ],
    },
  },
  {
    id: 'ipv6',
    kind: 'IP',
    trigger: 'hex-colon',
    find: decidedBy(WITHIN_WORD, findIpv6),
    examples: {
      hits: ['peer ⟦2001:db8:85a3::8a2e:370:7334⟧ up', 'from ⟦d80:e4b5:79da:6cf6:71f3:51f7:9161:c319⟧ on'],
      misses: ['fd00:0:0:0:1:2:3:4', '00:11:22:33:44:55:66:77', '::1', 'fe80::1', 'at 12:30:45', '2024:10'],
    },
  },
  {
    id: 'mac',
    kind: 'MAC',
    trigger: 'hex-colon',
    find: decidedBy(WITHIN_WORD, (text, at) => findMac(text, at, 2)),
    examples: {
      hits: ['mac ⟦00:1b:44:11:3a:b7⟧ seen'],
      misses: ['ff:ff:ff:ff:ff:ff', '12:30:45', 'ab:cd:ef:01:23:45:67'],
    },
  },
  {
    id: 'mac_in_groups',
    kind: 'MAC',
    trigger: 'hex-sign',
    find: decidedBy(WITHIN_WORD, (text, at) => findMac(text, at, 2) ?? findMac(text, at, 4)),
    examples: {
      hits: ['mac ⟦00-1B-44-11-3A-B7⟧ seen', 'on ⟦ac1b.4411.3ab7⟧, port 4', 'at ⟦00.1b.44.11.3a.b7⟧.'],
      misses: [
        'ff-ff-ff-ff-ff-ff',
        '7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
        '12-03-04-05-06-07-08',
        '1234.5678.9012',
        '1.22.33.44.55.66',
        'face.cafe.beef.dead',
      ],
    },
  },
];
