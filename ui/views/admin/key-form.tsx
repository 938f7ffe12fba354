import { useState } from 'react';
import { useKeyChanges, useProjects, type ShownKey } from '../../connection/administer.ts';
import { ROLE_WORDS } from '../../state/role-words.ts';

interface KeyFormProps {
  /** Of who makes it. */
  readonly ownProject: string;
  readonly onMade: (key: ShownKey) => void;
  readonly onClose: () => void;
}

/** What a new key is for, and what it may do. */
export function KeyForm({ ownProject, onMade, onClose }: KeyFormProps) {
  const { create } = useKeyChanges();
  const { data: projects = [] } = useProjects();
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<readonly string[]>(['sender']);
  const [project, setProject] = useState(ownProject);
  const [days, setDays] = useState('');
  const [problem, say] = useState<string>();
  const make = async (): Promise<void> => {
    try {
      onMade(
        await create({ name, roles, project, ...(days.trim() !== '' && { expiresInDays: Number(days) }) }),
      );
    } catch (error) {
      say(error instanceof Error ? error.message : 'it did not work');
    }
  };
  return (
    <form
      className="card key-form"
      aria-label="New key"
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <label>
        Name
        <input
          className="search"
          autoFocus
          required
          maxLength={100}
          placeholder="what it is for"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <fieldset>
        <legend>Roles</legend>
        {Object.entries(ROLE_WORDS).map(([role, words]) => (
          <label key={role} className="role">
            <input
              type="checkbox"
              checked={roles.includes(role)}
              onChange={({ target }) =>
                setRoles(target.checked ? [...roles, role] : roles.filter((one) => one !== role))
              }
            />
            {role} <span className="muted">{words}</span>
          </label>
        ))}
      </fieldset>
      <label>
        Project
        <input
          className="search"
          list="projects"
          required
          value={project}
          onChange={({ target }) => setProject(target.value)}
        />
        <datalist id="projects">
          {projects.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      <label>
        Days until it expires
        <input
          className="search"
          inputMode="decimal"
          placeholder="never"
          value={days}
          onChange={({ target }) => setDays(target.value)}
        />
      </label>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <span className="row">
        <button type="submit" className="button primary">
          Make the key
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </span>
    </form>
  );
}
