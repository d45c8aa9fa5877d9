import "../styles/base.css";
import { mount } from "svelte";
import File from "./File.svelte";

const place = document.getElementById("armtwin");
if (place) mount(File, { target: place });
