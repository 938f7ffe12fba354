import type { Break } from './breaks.ts';

const PROJECTS = ['src/service/project/projects.test.ts'];

/** What belongs to one project. */
export const PROJECT_BREAKS: readonly Break[] = [
  {
    rule: 'AC40 a stack of its own',
    what: 'everybody has to do with the default project',
    file: 'src/service/project/projects.ts',
    from: 'const stack = this.open.get(name);',
    to: 'const stack = this.open.get(name) && this.open.get(DEFAULT_PROJECT);',
  },
  {
    rule: 'AC40 a stack of its own',
    what: 'ports answer everybody from the default project',
    file: 'src/service/spaces.ts',
    from: 'const stack = this.projects.of(project);',
    to: "const stack = this.projects.of(project && 'default');",
    tests: ['test/e2e/projects.long.ts'],
  },
  {
    rule: 'AC41 folders',
    what: 'a project that only has a folder is not opened',
    file: 'src/service/project/projects.ts',
    from: 'projectsNamed(this.options.config), ...folders]',
    to: 'projectsNamed(this.options.config), ...folders.slice(folders.length)]',
  },
  {
    rule: 'AC42 by itself',
    what: 'a project that cannot be opened keeps the service from its start',
    file: 'src/service/project/projects.ts',
    from: 'this.ensure(name).catch(() => undefined));\n    this.lookAgain();',
    to: 'this.ensure(name));\n    this.lookAgain();',
  },
  {
    rule: 'AC42 by itself',
    what: 'nobody is warned of a project that is not open',
    file: 'src/service/project/projects.ts',
    from: 'this.waiting.size > 0 || others',
    to: 'others',
  },
  {
    rule: 'AC43 shares',
    what: 'what others have is taken from the equal part',
    file: 'src/base/fair-shares.ts',
    from: 'Math.max(this.total / count, this.total - usedByOthers)',
    to: 'Math.max(0, this.total - usedByOthers)',
  },
  {
    rule: 'AC43 shares',
    what: 'who has grown makes no room where others have too much',
    file: 'src/base/fair-shares.ts',
    from: 'sharer.used() > this.limitOf(sharer)',
    to: 'sharer.used() > this.total',
  },
  {
    rule: 'AC43 shares',
    what: 'each project may fill the memory',
    file: 'src/service/project/project-parts.ts',
    from: '  engine.shareMemory(memory);\n',
    tests: PROJECTS,
  },
  {
    rule: 'AC44 names',
    what: 'there are more projects than maxProjects says',
    file: 'src/service/project/projects.ts',
    from: 'this.open.size + this.waiting.size >= maxProjects',
    to: 'this.open.size + this.waiting.size > maxProjects',
  },
  {
    rule: 'AC44 names',
    what: 'a name is whatever a folder may be called',
    file: 'src/model/project-name.ts',
    from: 'return PROJECT_NAME.test(name) && !DEVICE_NAME.test(name);',
    to: "return name !== '' && !name.includes('/');",
    tests: PROJECTS,
  },
  {
    rule: 'AC47 names',
    what: 'everybody is told which projects there are',
    file: 'src/service/open-access.ts',
    from: 'dealsWithAll(by) ? projects.names',
    to: 'by ? projects.names',
    tests: ['test/e2e/projects.long.ts'],
  },
];
