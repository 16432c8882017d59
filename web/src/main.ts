// Entry of the page.
import { mount } from 'svelte';
import App from './App.svelte';
import { applyTheme } from './lib/theme.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';

applyTheme();
const target = document.getElementById('app');
if (target) mount(App, { target });
