import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTempHome, type TempHome } from '../../testing/temp-home.ts';
import { skillFolders } from './folders.ts';
import { loadSkills, type SkillFolder } from './load.ts';
import { bestSkill, findRivals } from './match.ts';
import { listFiles, readBody, readSkillFile } from './read.ts';
import type { Skill } from './skill.ts';

const skill = (name: string, head: string) => ({ [`${name}/SKILL.md`]: `---\nname: ${name}\n${head}\n---\nDo it.\n` });

const folderOf = (place: TempHome): SkillFolder => ({ path: place.workspace, origin: 'user', untrusted: false });

async function load(files: Record<string, string>) {
  await using place = await createTempHome(files);
  const { skills, problems } = await loadSkills([folderOf(place)]);
  return {
    skills: skills.map(({ name, description }) => [name, description]),
    problems: problems.map(({ file, line, code }) => [file.slice(place.workspace.length + 1), line, code]),
  };
}

describe('front matter', () => {
  it('case P27: what people write loads, whether or not it is YAML', async () => {
    const found = await load({
      ...skill('tidy', 'description: Use when sorting: lists, tables'),
      ...skill('hint', 'description: A hint.\nargument-hint: [name] - optional'),
      ...skill('folded', 'description: >-\n  one\n  two'),
      ...skill('both', 'description: >-\n  three:\n  four\nargument-hint: [x] - y'),
      ...skill('quoted', `description: "a: b # c"\nmetadata:\n  author: me\n  version: "1"`),
      ...skill('plain', 'description: it is off # not on\nlicense: MIT\nallowed-tools: Bash(git:*) Read'),
      ...skill('crlf', 'description: windows\r'),
      'flat.md': '---\ndescription: no name needed\ntrigger: [deploy, ship it]\n---\nBody',
      ...skill('broken', 'description'),
    });
    expect(found).toEqual({
      skills: [
        ['both', 'three: four'],
        ['crlf', 'windows'],
        ['flat', 'no name needed'],
        ['folded', 'one two'],
        ['hint', 'A hint.'],
        ['plain', 'it is off'],
        ['quoted', 'a: b # c'],
        ['tidy', 'Use when sorting: lists, tables'],
      ],
      problems: expect.arrayContaining([
        ['both/SKILL.md', 6, 'not-yaml'],
        ['hint/SKILL.md', 4, 'not-yaml'],
        ['broken/SKILL.md', 1, 'no-description'],
      ]),
    });
  });

  it('all limits of the format, each with its line', async () => {
    const long = (length: number) => 'x'.repeat(length);
    const found = await load({
      'none/SKILL.md': '# just text\n',
      'open/SKILL.md': '---\nname: open\ndescription: d\n',
      'nameless/SKILL.md': '---\ndescription: d\n---\nx',
      ...skill('empty-description', 'description:'),
      ...skill('long-description', `license: MIT\ndescription: ${long(1025)}`),
      ...skill('long-compatibility', `description: d\ncompatibility: ${long(501)}`),
      ...skill('list', 'description: [a, b]'),
      ...skill('metadata', 'description: d\nmetadata: [a]'),
      ...skill('tools', 'description: d\nallowed-tools:\n  a: b'),
      'other/SKILL.md': '---\nname: another\ndescription: d\n---\nx',
      'Upper/SKILL.md': '---\nname: Upper\ndescription: d\n---\nx',
      'a--b/SKILL.md': '---\nname: a--b\ndescription: d\n---\nx',
      '-a/SKILL.md': '---\nname: -a\ndescription: d\n---\nx',
      [`${long(65)}/SKILL.md`]: `---\nname: ${long(65)}\ndescription: d\n---\nx`,
      'bodyless/SKILL.md': '---\nname: bodyless\ndescription: d\n---\n \n',
      ...skill('fine', `description: ${long(1024)}\ncompatibility: ${long(500)}`),
      'README.md': 'no skill, and no problem',
    });
    expect(found.skills.map(([name]) => name)).toEqual(['fine']);
    expect(found.problems.sort()).toEqual(
      [
        ['-a/SKILL.md', 2, 'bad-name'],
        ['Upper/SKILL.md', 2, 'bad-name'],
        ['a--b/SKILL.md', 2, 'bad-name'],
        ['bodyless/SKILL.md', 1, 'empty'],
        ['empty-description/SKILL.md', 3, 'no-description'],
        ['list/SKILL.md', 3, 'wrong-type'],
        ['long-compatibility/SKILL.md', 4, 'too-long'],
        ['long-description/SKILL.md', 4, 'too-long'],
        ['metadata/SKILL.md', 4, 'wrong-type'],
        ['nameless/SKILL.md', 1, 'no-name'],
        ['none/SKILL.md', 1, 'no-front-matter'],
        ['open/SKILL.md', 1, 'unclosed'],
        ['other/SKILL.md', 2, 'name-differs'],
        ['tools/SKILL.md', 4, 'wrong-type'],
        [`${long(65)}/SKILL.md`, 2, 'too-long'],
      ].sort(),
    );
  });

  it('a bomb of aliases, a pipe, a folder and a file that is too large do no harm', async () => {
    await using place = await createTempHome({
      ...skill(
        'bomb',
        `a: &a [x,x]\n${'bcdefghij'.replace(/./g, (letter, at: number) => `${letter}: &${letter} [*${'abcdefghi'[at]},*${'abcdefghi'[at]}]\n`)}description: d`,
      ),
      'folder/SKILL.md/x': '',
      'pipe/x': '',
      'huge/SKILL.md': `---\nname: huge\ndescription: d\n---\n${'x'.repeat(10 * 1024 * 1024)}`,
      ...skill('good', 'description: d'),
    });
    execFileSync('mkfifo', [join(place.workspace, 'pipe/SKILL.md')]);
    const { skills, problems } = await loadSkills([folderOf(place)]);
    expect(skills.map(({ name }) => name)).toContain('good');
    expect(problems.map(({ code }) => code)).toEqual(expect.arrayContaining(['unreadable', 'too-large', 'unreadable']));
  });
});

describe('folders', () => {
  const put = async (file: string, text: string) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const text = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\nx`;

  it('later ones win: bundled, shared, the user’s own, the project likewise; an untrusted project replaces nothing', async () => {
    await using place = await createTempHome();
    const places = { home: place.home, userHome: join(place.home, 'person'), cwd: place.workspace };
    const order = ['person/.agents/skills', 'person/.claude/skills', 'skills'].map((path) => join(place.home, path));
    const project = ['skills', '.agents/skills', '.claude/skills', '.rein/skills'].map((path) =>
      join(place.workspace, path),
    );
    for (const [index, folder] of [...order, ...project].entries()) {
      await put(join(folder, 'analyze/SKILL.md'), text('analyze', `number ${index}`));
      await put(join(folder, `only-${index}.md`), text(`only-${index}`, 'd'));
    }
    const found = async (trusted: boolean) => (await loadSkills(skillFolders({ ...places, trusted }))).skills;
    const analyze = (skills: readonly Skill[]) => skills.find(({ name }) => name === 'analyze');
    const trusted = await found(true);
    const names = trusted.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5, 6].map((n) => `only-${n}`)));
    expect(names).toEqual([...new Set(names)].sort());
    expect(analyze(trusted)).toMatchObject({ description: 'number 6', origin: 'project', untrusted: false });
    const untrusted = await found(false);
    expect(analyze(untrusted)).toMatchObject({ description: 'number 2', origin: 'user', untrusted: false });
    expect(untrusted.find(({ name }) => name === 'only-5')).toMatchObject({ origin: 'project', untrusted: true });
  });

  it('security C8: links of a project lead nowhere outside it; files of a skill stay in its folder', async () => {
    await using place = await createTempHome(skill('real', 'description: d'));
    await put(join(place.home, 'secret/SKILL.md'), text('secret', 'd'));
    await symlink(join(place.home, 'secret'), join(place.workspace, 'secret'));
    await symlink(join(place.home, 'secret/SKILL.md'), join(place.workspace, 'link.md'));
    await put(join(place.workspace, 'real/docs/a.md'), 'text of a');
    await put(join(place.workspace, 'real/.hidden'), 'x');
    await symlink(join(place.home, 'secret/SKILL.md'), join(place.workspace, 'real/out.md'));
    const { skills } = await loadSkills([{ ...folderOf(place), untrusted: true, within: place.workspace }]);
    expect(skills.map(({ name }) => name)).toEqual(['real']);
    const [real] = skills as [Skill];
    expect(await readBody(real)).toBe('Do it.');
    expect(await listFiles(real)).toEqual({ files: ['docs/a.md'], more: false });
    expect(await readSkillFile(real, 'docs/a.md')).toBe('text of a');
    for (const path of ['../link.md', 'out.md', '/etc/passwd', '../../home/secret/SKILL.md', 'docs/\0', '..']) {
      await expect(readSkillFile(real, path), path).rejects.toMatchObject({
        code: expect.stringMatching(/^E_(PATH_OUTSIDE|FILE)$/),
      });
    }
  });

  it('200 skills load in 50 ms', async () => {
    const files: Record<string, string> = {};
    for (let index = 0; index < 200; index++) {
      Object.assign(
        files,
        skill(`skill-${index}`, `description: Use when you have to do thing number ${index}: carefully`),
      );
    }
    await using place = await createTempHome(files);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const began = performance.now();
      const { skills } = await loadSkills([folderOf(place)]);
      times.push(performance.now() - began);
      expect(skills).toHaveLength(200);
    }
    // The best of a few, so that what else the machine does is not measured.
    expect(Math.min(...times)).toBeLessThan(50);
  });
});

describe('keywords', () => {
  const made = (name: string, description: string, trigger = ''): Skill => {
    return { name, description, trigger, file: `/${name}.md`, origin: 'user', untrusted: false, hidden: false };
  };
  const skills = [
    made('deploy', 'Ship a release to production', 'release, publish, 发布版本'),
    made('database', 'Migrate the database schema and data', '数据库迁移'),
    made('translate', 'Translate texts of the user interface', '翻譯介面文字'),
  ];
  const best = (text: string) => bestSkill(skills, text)?.name;

  it('choose the one skill that shares the most words; none when none does', () => {
    expect(best('please publish a new release')).toBe('deploy');
    expect(best('the SCHEMA of our Database')).toBe('database');
    expect(best('请帮我做数据库的迁移')).toBe('database');
    expect(best('幫我翻譯這些介面')).toBe('translate');
    expect(best('what is the time, and how are you?')).toBeUndefined();
    expect(best('the of and to a')).toBeUndefined();
    expect(best('我的')).toBeUndefined();
    expect(best('')).toBeUndefined();
  });

  it('decide a tie always the same way, whatever the order', () => {
    const two = [made('b', 'alpha beta'), made('a', 'alpha beta'), made('c', 'alpha beta gamma')];
    for (const list of [two, two.toReversed()]) expect(bestSkill(list, 'alpha')?.name).toBe('a');
  });

  it('are a warning when two skills compete for them', () => {
    expect(findRivals(skills)).toEqual([]);
    const rivals = [...skills, made('release', 'Publish a release to production')];
    expect(findRivals(rivals)).toEqual([
      {
        file: '/deploy.md',
        line: 1,
        fatal: false,
        code: 'competes',
        params: { name: 'deploy', other: 'release', words: 'release, production, publish' },
      },
    ]);
  });

  it.each([
    ['release, publish', 'release, publish', 'release, publish'],
    ['Release, publish', 'tag release', 'release'],
    ['release, publish', 'brew, pour', undefined],
    ['to release', 'to pour', undefined],
    ['发布版本', '发布说明', '发布'],
    ['', '', undefined],
  ])('triggers %j and %j share %j, however much else the skills say', (one, other, words) => {
    const two = [made('ship', 'Version, changelog, upload', one), made('tea', 'Boil water for a pot', other)];
    expect(findRivals(two).map(({ code, params }) => [code, params])).toEqual(
      words === undefined ? [] : [['competes', { name: 'ship', other: 'tea', words }]],
    );
  });
});

it('the bundled skills load and do not compete', async () => {
  await using place = await createTempHome();
  const { skills, problems } = await loadSkills(
    skillFolders({ home: place.home, userHome: place.home, cwd: place.workspace, trusted: false }),
  );
  expect([...problems, ...findRivals(skills)]).toEqual([]);
  expect(skills.map(({ name, origin }) => [name, origin])).toEqual(
    readdirSync(join(import.meta.dirname, '../../../skills'))
      .sort()
      .map((name) => [name, 'bundled']),
  );
});
