import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../redactor.ts';
import { fakeHex } from '../rule.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(9), maxCodeSnippetChars: 2000 });

test('[RD4] what begins like a key of a vendor and is a name, an id, a version or a path stays', () => {
  const texts = [
    'bkat_cluster_name_for_all_builds and bkct_queue_of_the_default_cluster',
    'see polar_oat_prefix, polar_coordinates_to_cartesian_points_in_a_plane',
    'unkey_root_key_of_the_workspace is missing',
    'k4.local and k1.secret are types of PASERK, v4.public.key() is called',
    'lip_sync_of_the_character_model runs before lip_color',
    'call cog_settings_for_the_whole_workspace_of_users()',
    'ak_model_training_epoch and oak_tree_texture_diffuse',
    'PRD-001 and PRD-2024-0042 are in review; SBX-1234-5678',
    'cal_datetime_from_the_start_of_week(x)',
    'PINA_ADDR and pina_colada_recipe_with_coconut_cream_and_pineapple',
    'rates usd_to_mmk, thb_to_mmk',
    'dub_audio_track_with_subtitles.mp3',
    'ES_JAVA_OPTS=-Xms512m, ES_INDEX_PREFIX_FOR_LOGS',
    'standard_deviation_of_all_measured_values_in_the_series',
    'rootly_alert_source_opts ignores changes',
    'the plainApiKey_ prefix, retool_01.png',
    'salad_cloud_sdk_environment_default_configuration',
    `cache of ${fakeHex(40)}, at 1732659563123|done`,
    'samsara_api_rate_limit_hit_by_the_fleet_sync',
    'vtwn_prefix_of_the_tokens_in_docs',
    'pts_total_of_all_players_in_the_league',
    'sk_dev_environment_configuration_for_the_local_stack_of_services',
    'mercury_production_database_of_the_planets_and_their_moons',
    'dvc_server_token_hash_of_the_bucketing_config',
    'bkat_v2_cluster_name_for_all_builds, fk-Orders-CustomerId-2024-ProductCategoryAssignment',
    'glpat-documentation-page-for-new-users',
    'figd_export_of_design_tokens, ak_session_createdAt_idx',
    'k1.local.development-environment-configuration',
  ];
  assert.deepEqual(
    texts.map((text) => redactor.redactText(text)),
    texts,
  );
});
