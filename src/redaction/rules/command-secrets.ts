import { wordsBefore } from '../characters.ts';
import { fitsAt } from '../match-at.ts';
import { decidedBy, fake, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isAboutSecrets } from './plain-words.ts';
import { hasMarkOfSecret, isActualValue, notPlaceholder } from './secret-value.ts';
import { isTechnical } from './technical-words.ts';

/** Secrets that commands take, by their manuals, where no name says so. */

/** What a shell takes for one argument: in quotes, or without blanks; no variable, file or flag. */
const ARGUMENT = String.raw`["']?(?![-$<@{])(?<v>(?<=["'])[^"'\n]{3,256}(?=["'])|[^\s"'|;&<>\\]{3,256})`;
/** Of the same command. */
const BETWEEN = String.raw`(?:[^\n|;&]{0,160} )?`;
const LOOKED_BACK = 240;

const isSecret = (value: string): boolean => isActualValue(value) && !/^\/|^\d{1,5}$/.test(value);

/** The name of a variable or a setting for a secret. */
const NAME = String.raw`[\w./:@-]{0,60}?(?:passw(?:or)?d|passphrase|pass|pwd|secret|token|(?:api|access|auth|private|secret)[_-]?key)(?:_base)?`;

const LOGIN = String.raw`(?:helm registry|oras|crane auth|skopeo|podman|buildah|nerdctl|argocd|oc|cf) login`;

/** Commands and the flags by which they take a password, up to the flag. */
const TAKES_SECRET = new RegExp(
  String.raw`(?:^|[^\w-])(?:${[
    `ldap[a-z]{3,8} ${BETWEEN}-w`,
    `security (?:add|unlock)-[a-z-]{4,24} ${BETWEEN}-[pw]`,
    `(?:plink|pscp|psftp|putty) ${BETWEEN}-pw`,
    `snmp[a-z]{3,12} ${BETWEEN}-[cAX]`,
    `(?:useradd|usermod|adduser) ${BETWEEN}-p`,
    `(?:codecov(?:cli)?|doctl|fly(?:ctl)?|hcloud|influx|buildkite-agent|vercel|sentry-cli|gitlab-runner) ${BETWEEN}-[tr]`,
    `(?:gem push|(?:dotnet )?nuget (?:push|setapikey)|choco push|prefect cloud login|newman) ${BETWEEN}-k`,
    `ssh-keygen ${BETWEEN}-[NP]`,
    `ldappasswd ${BETWEEN}-[as]`,
    `sendemail ${BETWEEN}-xp`,
    `(?:mosquitto_[a-z]{3}|sqlcmd|osql|bcp|ipmitool|tsql) ${BETWEEN}-P`,
    `(?:psexec|winexe|racadm|ncftp[a-z]{3}|hydra|medusa|beeline|mongo[a-z]{0,8}|evil-winrm|netexec|nxc|crackmapexec|smbmap|influx|cqlsh|${LOGIN}) ${BETWEEN}-p`,
  ].join('|')})$`,
);
/** Behind a user `-p` takes a password in any command, but for those that take a port, a path or a level. */
const BEHIND_USER = new RegExp(
  String.raw`(?:^|\s)(?:-u|--user(?:name)?)[ =]["']?[\w.@\\-]{1,64}["']? ${BETWEEN}-p$`,
);
const TAKES_NO_PASSWORD =
  /\b(?:cp|date|diff|docker|doas|git|gunicorn|install|journalctl|kubectl|lsof|mkdir|nmap|patch|podman|ps|psql|rsync|screen|ssh|su|sudo|systemd-run|tar|tmux|uwsgi)\b/;

function isOfCommand(text: string, at: number): boolean {
  const flag = /^-\w{1,2}/.exec(text.slice(at, at + 3))?.[0] ?? '';
  const before = wordsBefore(text, at, LOOKED_BACK) + flag;
  return TAKES_SECRET.test(before);
}

function isBehindUser(text: string, at: number): boolean {
  const before = `${text.slice(Math.max(0, at - LOOKED_BACK), at)}-p`;
  return BEHIND_USER.test(before) && !TAKES_NO_PASSWORD.test(before.slice(before.lastIndexOf('\n') + 1));
}

const ADDRESS = /@(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/y;
const NO_USER = /^(?:sips?|ssh|scp|sftp|mailto|xmpp|acct|tel|stun|turn)$/i;

/** `domain/user:password@10.0.0.1`, as tools for Windows take it. `at` is the `@`. */
function findLoginAtAddress(text: string, at: number): Span | undefined {
  if (!fitsAt(ADDRESS, text, at)) return undefined;
  const [, user = '', password = ''] =
    /(?:^|[\s"'`])(?:[\w.-]{1,32}\/)?([\w.$-]{1,64}):([^\s"'`@:/\\]{6,128})$/.exec(
      text.slice(Math.max(0, at - LOOKED_BACK), at),
    ) ?? [];
  if (!hasMarkOfSecret(password) || NO_USER.test(user)) return undefined;
  return { start: at - password.length, end: at };
}

export const COMMAND_RULES: readonly Rule[] = [
  {
    id: 'flag_of_command',
    kind: 'SECRET',
    hints: ['-w ', '-p ', '-n ', '-s ', '-xp ', '-pw ', '-c ', '-a ', '-x ', '-t ', '-k ', '-r '],
    find: onlyWhere(isOfCommand, matching(new RegExp(`-\\w{1,2} ${ARGUMENT}`), isSecret)),
    examples: {
      hits: [
        'ldapsearch -x -D cn=admin -w ⟦driftwood⟧ -b dc=x',
        'plink -ssh ops@h -pw ⟦driftwood⟧',
        'snmpwalk -v3 -u ops -A ⟦driftwood⟧ h',
        'sqlcmd -S h -U sa -P ⟦driftwood⟧ -Q x',
        'snmpget -v2c -c ⟦seashell⟧ h',
        'security add-generic-password -a ops -w ⟦driftwood⟧',
        'useradd -m -p ⟦driftwood⟧ bob',
        'mongosh db -u ops -p "⟦drift wood⟧"',
        'helm registry login -u ops -p ⟦driftwood⟧',
        'codecov do-upload -t ⟦dr1ftwood⟧',
        'gem push a.gem -k ⟦dr1ftwood⟧',
        'ssh-keygen -t ed25519 -N "⟦drift wood⟧" -f k',
        'racadm -r h -u root -p ⟦driftwood⟧ getsysinfo',
      ],
      misses: [
        'snmpwalk -v2c -c public h',
        'ldapsearch -W -D cn=admin; wc -w words.txt',
        'grep -w driftwood file',
        'ldapadd -w $PW -f x.ldif',
        'mkdir -p driftwood',
        'ssh-keygen -t ed25519 -N "" -f k',
      ],
    },
  },
  {
    id: 'password_behind_user',
    kind: 'SECRET',
    hints: ['-p '],
    find: onlyWhere(
      isBehindUser,
      matching(new RegExp(`-p ${ARGUMENT}`), (value) => hasMarkOfSecret(value) && isSecret(value)),
    ),
    examples: {
      hits: ['anytool --url h -u ops -p ⟦dr1ftwood⟧'],
      misses: [
        'docker run -u node -p 127.0.0.1:3000:3000 x1',
        'sudo -u postgres mkdir -p data2024x',
        'journalctl -u nginx -p warning3',
        'anytool -u ops -p 8080:80',
        'anytool -u ops -p production',
        'anytool -u ops -p /srv/data2024',
      ],
    },
  },
  {
    // https://docs.openssl.org/master/man1/openssl-passphrase-options, https://developer.android.com/tools/apksigner
    id: 'pass_argument',
    kind: 'SECRET',
    hints: ['pass:'],
    find: matching(
      /(?<=-pass(?:in|out)?[ =]["']?)pass:(?<v>(?<=["']pass:)[^"'\n$]{3,256}(?=["'])|[^\s"'$<{][^\s"']{2,255})/,
      isActualValue,
    ),
    examples: {
      hits: [
        'openssl pkcs12 -in a.p12 -passin pass:⟦driftwood⟧ -nodes',
        "openssl req -passout 'pass:⟦drift wood⟧' -new",
        'apksigner sign --ks-pass pass:⟦driftwood⟧ a.apk',
      ],
      misses: ['openssl rsa -passin env:PW', 'openssl rsa -passin pass:$PW', 'second pass:driftwood'],
    },
  },
  {
    // https://www.gnu.org/software/bash/manual/html_node/Process-Substitution.html: a file of a password that is no file
    id: 'substituted_secret',
    kind: 'SECRET',
    hints: ['<(echo ', '<(printf ', 'command "echo ', "command 'echo ", 'command=echo '],
    find: onlyWhere(
      (text, at) =>
        /-[a-z-]{0,24}(?:pass(?:word|phrase|wd)?|pw|secret|token|key|credentials?)(?:-?(?:file|command|fd))?[ =-]["']?$/i.test(
          text.slice(Math.max(0, at - 48), at),
        ),
      matching(
        /(?:<\(|command[ =]["']?)(?:echo|printf)(?: -[neE]{1,3})?(?: ["']?%s(?:\\n)?["']?)? ["']?(?<v>(?<=["'])[^"'\n$]{3,256}(?=["'])|[^\s"'|)$][^\s"'|)]{2,255})/,
        isActualValue,
      ),
    ),
    examples: {
      hits: [
        'ansible-vault view --vault-password-file <(echo ⟦driftwood⟧) s.yml',
        'borg --passphrase-file=<(printf \'%s\' "⟦drift wood⟧") list',
        'restic --password-command "echo ⟦driftwood⟧" snapshots',
      ],
      misses: ['diff <(echo driftwood) a', 'tool --key-file <(echo $KEY)', 'run --command "echo driftwood"'],
    },
  },
  {
    // Of csh, fish, Apache, nginx, launchd, Git, npm, macOS and GNOME; the name and the value stand side by side
    id: 'set_variable',
    kind: 'SECRET',
    hints: [
      'setenv ',
      'set -',
      'config set ',
      'git config ',
      'fastcgi_param ',
      'uwsgi_param ',
      'proxy_set_header ',
      '_env_var ',
      'defaults write ',
      'gsettings set ',
      'config:system:set ',
      'set-env ',
      'env add ',
      'user-secrets set ',
      '/v ',
    ],
    find: matching(
      new RegExp(
        String.raw`(?:setenv(?: -g)?|set(?: --?[a-z]{1,12}){1,3}|config set|git config(?: --[a-z]{1,12}){0,2}|(?:fastcgi|uwsgi)_param|proxy_set_header|_env_var|(?:defaults write|gsettings set) \S{1,80}|config:system:set|set-env \S{1,64}|env add|user-secrets set|\/v)[ 	]{1,8}["']?${NAME}["']?(?: --value=|(?: \/t REG_\w{2,9})? \/d |[ 	]{1,8}(?:-string )?)${ARGUMENT}`,
        'i',
      ),
      (value) => isSecret(value) && !isAboutSecrets(value, 'password:') && !isTechnical(value),
    ),
    examples: {
      hits: [
        'set -gx PGPASSWORD "⟦driftwood⟧"',
        'setenv PGPASSWORD ⟦driftwood⟧',
        'fastcgi_param DB_PASSWORD ⟦driftwood⟧;',
        'wp config set DB_PASSWORD ⟦driftwood⟧',
        'git config --global user.password ⟦driftwood⟧',
        'defaults write com.x password -string "⟦driftwood⟧"',
        'occ config:system:set dbpassword --value=⟦driftwood⟧',
        String.raw`reg add HKLM\x /v DefaultPassword /t REG_SZ /d ⟦driftwood⟧ /f`,
      ],
      misses: [
        'set -e; token=$1',
        'setenv PGPASSWORD $PW',
        'git config credential.helper store',
        'config set password policy',
        'config set tokenizer fast',
        'proxy_set_header X-Token $token;',
      ],
    },
  },
  {
    id: 'stored_secret',
    kind: 'SECRET',
    hints: ['secret set ', 'secrets set ', 'config set --secret ', '--secret-string ', 'put-parameter '],
    find: matching(
      new RegExp(
        String.raw`(?:--secret-string |put-parameter (?=[^\n]{0,400}SecureString)[^\n|;&]{1,240}?--value |config set --secret (?:--\S{1,40} ){0,3}[\w.:-]{1,64} |secret(?: set [^\n|;&]{1,120}? (?:--body|-b|--value)[ =]|s set (?:[^\n|;&=]{1,80} )?[A-Za-z_]\w{0,64}=))${ARGUMENT}`,
      ),
      notPlaceholder,
    ),
    examples: {
      hits: [
        'gh secret set DEPLOY --repo a/b --body "⟦driftwood⟧"',
        'fly secrets set DB=⟦driftwood⟧',
        'aws ssm put-parameter --name /db/pw --value ⟦driftwood⟧ --type SecureString',
        "aws secretsmanager create-secret --name x --secret-string '⟦driftwood⟧'",
        'pulumi config set --secret db ⟦driftwood⟧',
      ],
      misses: [
        'gh secret set DEPLOY < file',
        'gh secret set DEPLOY --body "$VALUE"',
        'the secret set by ops',
      ],
    },
  },
  {
    id: 'literal_of_secret',
    kind: 'SECRET',
    hints: ['--from-literal'],
    find: onlyWhere(
      (text, at) => /create secret[^|;&]{0,400}$/.test(text.slice(Math.max(0, at - 400), at)),
      matching(new RegExp(String.raw`--from-literal[= ]["']?[\w.-]{1,64}=${ARGUMENT}`), notPlaceholder),
    ),
    examples: {
      hits: ['kubectl create secret generic x --from-literal=user=ops --from-literal=note=⟦driftwood⟧'],
      misses: [
        'kubectl create configmap x --from-literal=note=driftwood',
        'kubectl create secret generic x --from-literal=note=$NOTE',
      ],
    },
  },
  {
    // https://min.io/docs/minio/linux/reference/minio-mc/mc-alias-set.html, Alibaba Cloud's manual of ossutil
    // https://support.huaweicloud.com/intl/en-us/utiltg-obs/obs_11_0005.html, https://developer.qiniu.com/kodo/1302/qshell
    // https://www.tencentcloud.com/document/product/436/10976
    id: 'account_of_storage',
    kind: 'SECRET',
    hints: [
      'mc alias set ',
      'mc config host add ',
      'ossutil config ',
      'ossutil64 config ',
      'obsutil config ',
      'coscmd config ',
      'qshell account ',
    ],
    find: matching(
      new RegExp(
        String.raw`(?:mc (?:alias set|config host add) (?:--?\S{1,24} ){0,3}[\w.-]{1,64} [^\s"']{4,160} [^\s"']{3,128} |(?:(?:oss|obs)util(?:64)?|coscmd) config (?:[^\n|;&]{0,160} )?-[ks][= ]|qshell account (?:--?\S{1,24} ){0,3}[\w-]{20,64} )${ARGUMENT}`,
      ),
      isSecret,
    ),
    examples: {
      hits: [
        'mc alias set local http://h:9000 minioadmin ⟦dr1ftwood⟧',
        'obsutil config -i=Q7XM -k=⟦dr1ftwood⟧ -e=h',
        `qshell account ${fake(40)} ⟦dr1ftwood⟧ name`,
      ],
      misses: [
        'mc alias set local http://h:9000',
        'ossutil config -e h',
        'mc alias set x http://h $USER $PASS',
      ],
    },
  },
  {
    // https://getcomposer.org/doc/06-config.md, https://python-poetry.org/docs/repositories,
    // https://bundler.io/man/bundle-config.1.html
    id: 'config_of_packages',
    kind: 'SECRET',
    hints: ['oser config ', 'poetry config ', 'bundle config '],
    find: matching(
      new RegExp(
        String.raw`(?:(?:oser|poetry) config (?:--?\S{1,24} ){0,3}(?:(?:github-oauth|gitlab-token|gitlab-oauth|bearer|pypi-token)\.[\w.-]{1,80} |http-basic\.[\w.-]{1,80} [^\s"']{1,64} )|bundle config (?:set )?(?:--?\S{1,24} ){0,3}[\w.:/-]{1,80} [\w.@-]{1,64}:)${ARGUMENT}`,
      ),
      isSecret,
    ),
    examples: {
      hits: [
        'composer config -g github-oauth.github.com ⟦dr1ftwood⟧',
        'poetry config http-basic.corp bob ⟦dr1ftwood⟧',
        'bundle config set --global gems.example bob:⟦dr1ftwood⟧',
      ],
      misses: [
        'poetry config virtualenvs.create false',
        'bundle config set path vendor',
        'composer config -l',
      ],
    },
  },
  {
    // https://www.gnu.org/software/bash/manual/html_node/Redirections.html: what a command reads that asks for a password
    id: 'fed_password',
    kind: 'SECRET',
    hints: ['<<< '],
    find: onlyWhere(
      (text, at) =>
        /(?:cryptsetup|--password-stdin|passwd|realm join|adcli join|--passphrase-fd|sudo -S|\bkinit|smbpasswd)[^\n|;&]{0,160}$/.test(
          text.slice(Math.max(0, at - LOOKED_BACK), at),
        ),
      matching(new RegExp(`<<< ${ARGUMENT}`), notPlaceholder),
    ),
    examples: {
      hits: ["cryptsetup open /dev/sda2 x <<< '⟦driftwood⟧'"],
      misses: ["grep x <<< 'driftwood'", 'kinit bob <<< "$PW"'],
    },
  },
  {
    // From the first value to the last
    id: 'values_of_vault',
    kind: 'SECRET',
    hints: ['kv put ', 'kv patch '],
    find: matching(
      /kv (?:put|patch) (?:-[\w=/-]{1,64} ){0,4}[\w./-]{1,128} [\w.-]{1,64}=(?<v>(?!["']?[-$<@{])[^\s|;&]{3,512}(?: [\w.-]{1,64}=[^\s|;&]{1,512}){0,16})/,
      notPlaceholder,
    ),
    examples: {
      hits: [
        'vault kv put secret/x note=⟦driftwood⟧',
        'vault kv put -mount=secret x a=⟦driftwood b=seashell⟧',
      ],
      misses: ['vault kv put secret/x note=@file.json', 'vault kv put secret/x note=$PW', 'kv put and get'],
    },
  },
  {
    id: 'account_with_password',
    kind: 'SECRET',
    hints: ['net user ', 'sqlplus ', 'sqlldr ', 'expdp ', 'impdp ', 'jdbc:oracle:'],
    find: matching(
      /(?:net user [\w.-]{1,64} (?=[^\s"']{3,64}[ \t]{0,4}(?:[ \t]\/[a-z]|\n|$))|(?:sqlplus|sqlldr|expdp|impdp) (?:-\w{1,8} ){0,3}["']?[A-Za-z][\w$#]{0,63}\/|jdbc:oracle:(?:thin|oci8?):[A-Za-z][\w$#]{0,63}\/)(?<v>(?<=net user [\w.-]{1,64} )[^\s/*"'$<{][^\s"']{2,63}|[^\s@/*"'$<{](?:[^\s/"']{2,63}(?=@)|[^\s@/"']{2,63}))/i,
      isSecret,
    ),
    examples: {
      hits: [
        'net user bob ⟦driftwood⟧ /add',
        'net user bob ⟦P@ssw0rd!⟧ /add',
        'sqlplus -S scott/⟦P@ssw0rd!⟧@db',
        'sqlplus -S scott/⟦driftwood⟧@db',
        'jdbc:oracle:thin:scott/⟦driftwood⟧@//h:1521/s',
      ],
      misses: [
        'net user bob /delete',
        'net user bob required',
        'net user bob * /add',
        'sqlplus / as sysdba',
        'of sqlplus client/server and sqlplus user/password',
        'sqlplus scott/$PW@db',
        'jdbc:oracle:thin:@//h:1521/s',
      ],
    },
  },
  {
    id: 'login_at_address',
    kind: 'SECRET',
    trigger: 'at',
    find: decidedBy(ADDRESS, findLoginAtAddress),
    examples: {
      hits: ['psexec.py corp/bob:⟦dr1ftwood⟧@10.0.0.1'],
      misses: ['sip:user1001@10.0.0.1', 'redis:6379@10.0.0.1', 'ops:driftwood@10.0.0.1', 'bob@10.0.0.1'],
    },
  },
];
